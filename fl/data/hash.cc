#include "dpbudget/fl/data/hash.h"

#include <zlib.h>

namespace dpbudget::fl {

Hash::Hash() : crc_(crc32_z(0, nullptr, 0)), adler_(adler32_z(0, nullptr, 0)) {}

void Hash::add(const Dataset& dataset) {
  add(static_cast<std::uint64_t>(dataset.features.rows()));
  add(static_cast<std::uint64_t>(dataset.features.cols()));
  add(static_cast<std::uint64_t>(dataset.classes));
  add(std::span(dataset.features.data(), static_cast<std::size_t>(dataset.features.size())));
  add(static_cast<std::uint64_t>(dataset.labels.size()));
  add(std::span(dataset.labels));
  if (!dataset.targets.empty()) add(std::span(dataset.targets));
}

void Hash::add_bytes(const void* begin, std::size_t count) {
  const auto* bytes = static_cast<const Bytef*>(begin);
  crc_ = crc32_z(crc_, bytes, count);
  adler_ = adler32_z(adler_, bytes, count);
}

}  // namespace dpbudget::fl
