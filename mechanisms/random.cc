#include "dpbudget/mechanisms/random.h"

#include <Random123/philox.h>

#include <Random123/boxmuller.hpp>
#include <boost/multiprecision/cpp_int.hpp>

#include "dpbudget/accounting/base/require.h"

namespace dpbudget::mechanisms {

void Stream::refill() {
  const r123::Philox4x64::key_type key{{key_.seed, static_cast<std::uint64_t>(key_.purpose)}};
  const r123::Philox4x64::ctr_type counter{{key_.round, key_.client, key_.step, block_}};
  const r123::Philox4x64::ctr_type words = r123::Philox4x64()(counter, key);
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] = words[i];
  ++block_;
  used_ = 0;
}

std::uint64_t Stream::below(std::uint64_t range) {
  using boost::multiprecision::uint128_t;
  require(1 <= range, "range", range, "at least 1");
  const std::uint64_t rejected = (max() - range + 1) % range;
  while (true) {
    const uint128_t product = uint128_t((*this)()) * range;
    if (static_cast<std::uint64_t>(product & max()) >= rejected) return static_cast<std::uint64_t>(product >> 64);
  }
}

double Stream::normal() {
  if (has_second_normal_) {
    has_second_normal_ = false;
    return second_normal_;
  }
  const std::uint64_t angle = (*this)();
  const std::uint64_t radius = (*this)();
  const r123::double2 pair = r123::boxmuller(angle, radius);
  second_normal_ = pair.y;
  has_second_normal_ = true;
  return pair.x;
}

}  // namespace dpbudget::mechanisms
