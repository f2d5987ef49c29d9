// Images and labels in the IDX format, plain or gzipped. The input's first byte says how many 64ths of the rest are the
// images' file; what is left is the labels'.

#include "dpbudget/fl/data/idx.h"

#include "fuzz/memory_file.h"
#include "fuzz/target.h"

DPBUDGET_FUZZ_TARGET(const std::string_view input) {
  if (input.empty()) return;
  const std::string_view rest = input.substr(1);
  const std::size_t images = rest.size() * (static_cast<unsigned char>(input.front()) % 65) / 64;
  const dpbudget::fuzz::MemoryFile image_file(rest.substr(0, images));
  const dpbudget::fuzz::MemoryFile label_file(rest.substr(images));
  const dpbudget::fl::Dataset dataset = dpbudget::fl::load_idx(image_file.path(), label_file.path());
  dpbudget::fuzz::expect(dataset.records() > 0 && dataset.labels.size() == dataset.records(),
                         "every record has a label");
}
