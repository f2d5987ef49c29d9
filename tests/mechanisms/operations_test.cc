#include "dpbudget/mechanisms/operations.h"

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <limits>

#include "dpbudget/mechanisms/random.h"

namespace dpbudget::mechanisms {
namespace {

// Products that cancel to their last bits, halves of last places, and summands of any size.
TEST(Operations, FusesByPartsAsTheMachineDoes) {
  Stream stream({9, Purpose::noise, 1, 2, 3});
  for (int i = 0; i < 200000; ++i) {
    const double a = std::ldexp(stream.uniform() - 0.5, static_cast<int>(stream.below(80)) - 40);
    const double b = stream.below(3) == 0 ? std::round(64 * stream.uniform()) : stream.uniform() - 0.5;
    const double product = a * b;
    const double last = std::abs(product) * 0x1p-53;
    for (const double c : {0.0, 1.0, -product, product + last, std::fma(-a, b, product), 2 * last, last / 2, -last,
                           std::ldexp(stream.uniform(), static_cast<int>(stream.below(200)) - 100)})
      ASSERT_EQ(fused_by_parts(a, b, c), std::fma(a, b, c)) << a << ' ' << b << ' ' << c;
  }
  EXPECT_EQ(fused_by_parts(0, 3, 5), 5);
  EXPECT_EQ(fused_by_parts(1 + 0x1p-52, 1 - 0x1p-52, -1), -0x1p-104);
}

// By halves, of every size and where halves of last places are rounded.
TEST(Operations, ConvertsByHalvesAsTheMachineDoes) {
  Stream stream({9, Purpose::noise, 1, 2, 4});
  const auto check = [](std::uint64_t number) {
    ASSERT_EQ(Plain::of(number), Converting::of(number)) << number;
    const auto with_sign = static_cast<std::int64_t>(number);
    ASSERT_EQ(Plain::of(with_sign), Converting::of(with_sign)) << with_sign;
  };
  for (int i = 0; i < 100000; ++i) check(stream() >> stream.below(64));
  for (unsigned bit = 0; bit < 64; ++bit)
    for (std::uint64_t i = 0; i < 5; ++i) {
      check((std::uint64_t{1} << bit) + i - 2);
      check((std::uint64_t{1} << bit) + (std::uint64_t{1} << bit / 2) * i);
      check(~(std::uint64_t{1} << bit) + i);
    }
}

}  // namespace
}  // namespace dpbudget::mechanisms
