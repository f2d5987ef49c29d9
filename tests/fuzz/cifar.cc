// Images in the format of CIFAR-10, plain or gzipped.

#include "dpbudget/fl/data/cifar.h"

#include "fuzz/memory_file.h"
#include "fuzz/target.h"

DPBUDGET_FUZZ_TARGET(const std::string_view input) {
  const dpbudget::fuzz::MemoryFile file(input);
  const dpbudget::fl::Dataset dataset = dpbudget::fl::load_cifar(file.path());
  dpbudget::fuzz::expect(dataset.records() > 0 && dataset.labels.size() == dataset.records(),
                         "every record has a label");
}
