#include "dpbudget/accounting/shuffle/blanket/tilted.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstdint>

#include "accounting/random_event.h"

namespace dpbudget::shuffle {
namespace {

using testing::log_uniform;

// Steps of all lengths, in a row and far apart, against sines and cosines in more digits.
// accounting/shuffle/blanket/proofs.md, 5.6
RC_GTEST_PROP(CharacteristicWalk, IsTheSumOfItsPhasesWhereverItGoes, ()) {
  BlanketLaw law{.values = {}, .rest = 0.25, .excess = 0, .relative_error = 0};
  const int values = *rc::gen::inRange(1, 40);
  for (int i = 0; i < values; ++i) law.values.push_back({(i % 3 == 0 ? 1 : -1) * log_uniform(1e-3, 10), 0.75 / values});
  long double excess = static_cast<long double>(law.rest) - 1;
  for (const Value& v : law.values) excess += static_cast<long double>(v.mass);
  law.excess = static_cast<double>(excess);
  const TiltedLaw tilted(law, log_uniform(1e-3, 1));
  const double step = log_uniform(1e-6, 1);
  CharacteristicWalk walk(tilted, step);
  std::int64_t k = 0;
  for (int point = 0; point < 200; ++point) {
    k += *rc::gen::element<std::int64_t>(1, 1, 1, 2, 3, 7, 100, 4095, 4096, 100000);
    const CharacteristicWalk::Point found = walk.at(k);
    long double real = 0;
    long double imaginary = 0;
    for (const Value& v : tilted.values) {
      const long double half =
          static_cast<long double>(k) * static_cast<long double>(step) * static_cast<long double>(v.value) / 2;
      const long double mass = v.mass;
      real -= 2 * mass * std::sin(half) * std::sin(half);
      imaginary += 2 * mass * std::sin(half) * std::cos(half);
    }
    RC_ASSERT(std::abs(static_cast<double>(real - found.real)) <= found.error);
    RC_ASSERT(std::abs(static_cast<double>(imaginary - found.imaginary)) <= found.error);
  }
}

}  // namespace
}  // namespace dpbudget::shuffle
