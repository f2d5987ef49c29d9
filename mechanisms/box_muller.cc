#include "dpbudget/mechanisms/box_muller.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "dpbudget/accounting/base/instruction_sets.h"
#include "dpbudget/mechanisms/elementary.h"
#include "dpbudget/mechanisms/operations.h"

namespace dpbudget::mechanisms {
namespace {

template <class Operations>
[[gnu::always_inline]] inline NormalPair pair_of(std::uint64_t angle, std::uint64_t radius) {
  const double length = std::sqrt(minus_twice_log<Operations>(unit_of<Operations>(radius)));
  const auto [sine, cosine] = sine_and_cosine_of<Operations>(angle);
  return {length * sine, length * cosine};
}

// A plain loop, of which compilers make vectors.
template <class Operations>
[[gnu::always_inline]] inline void transform(const std::uint64_t* __restrict words, double* __restrict draws,
                                             std::size_t groups) {
  for (std::size_t i = 0; i < box_muller_words / 2 * groups; ++i) {
    const auto [first, second] = pair_of<Operations>(words[2 * i], words[2 * i + 1]);
    draws[2 * i] = first;
    draws[2 * i + 1] = second;
  }
}

NormalPair pair_anywhere(std::uint64_t angle, std::uint64_t radius) { return pair_of<Plain>(angle, radius); }

void transform_anywhere(const std::uint64_t* words, double* draws, std::size_t groups) {
  transform<Plain>(words, draws, groups);
}

#ifdef DPBUDGET_HAS_X86_VERSIONS
// Not target_clones: what chooses among those runs before a sanitizer has begun, is missing in some C libraries, and
// leaves nothing to compare.
[[gnu::target("avx2,fma")]] NormalPair pair_avx2(std::uint64_t angle, std::uint64_t radius) {
  return pair_of<Fused>(angle, radius);
}

[[gnu::target("avx2,fma")]] void transform_avx2(const std::uint64_t* words, double* draws, std::size_t groups) {
  transform<Fused>(words, draws, groups);
}

[[gnu::target("avx512f,avx512dq")]] NormalPair pair_avx512(std::uint64_t angle, std::uint64_t radius) {
  return pair_of<Converting>(angle, radius);
}

[[gnu::target("avx512f,avx512dq")]] void transform_avx512(const std::uint64_t* words, double* draws,
                                                          std::size_t groups) {
  transform<Converting>(words, draws, groups);
}
#endif

constexpr BoxMullerVersion versions[] = {
    {"any", pair_anywhere, transform_anywhere},
#ifdef DPBUDGET_HAS_X86_VERSIONS
    {"avx2", pair_avx2, transform_avx2},
    {"avx512", pair_avx512, transform_avx512},
#endif
};

}  // namespace

NormalPair box_muller(std::uint64_t angle, std::uint64_t radius) {
  static const auto fastest = box_muller_versions().back().pair;
  return fastest(angle, radius);
}

void box_muller(std::span<const std::uint64_t> words, std::span<double> draws) {
  static const auto fastest = box_muller_versions().back().transform;
  const std::size_t whole = words.size() / box_muller_words * box_muller_words;
  fastest(words.data(), draws.data(), whole / box_muller_words);
  if (whole == words.size()) return;
  // A group takes hardly longer than a pair.
  std::array<std::uint64_t, box_muller_words> last_words{};
  std::array<double, box_muller_words> last_draws;
  std::ranges::copy(words.subspan(whole), last_words.begin());
  fastest(last_words.data(), last_draws.data(), 1);
  std::copy_n(last_draws.begin(), words.size() - whole, draws.begin() + static_cast<std::ptrdiff_t>(whole));
}

std::span<const BoxMullerVersion> box_muller_versions() { return std::span(versions).first(versions_here()); }

}  // namespace dpbudget::mechanisms
