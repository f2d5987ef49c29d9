// Images in the MAT-files of SVHN, compressed or not.

#include "dpbudget/fl/data/svhn.h"

#include "fuzz/memory_file.h"
#include "fuzz/target.h"

DPBUDGET_FUZZ_TARGET(const std::string_view input) {
  const dpbudget::fuzz::MemoryFile file(input);
  const dpbudget::fl::Dataset dataset = dpbudget::fl::load_svhn(file.path());
  dpbudget::fuzz::expect(dataset.records() > 0 && dataset.labels.size() == dataset.records(),
                         "every record has a label");
}
