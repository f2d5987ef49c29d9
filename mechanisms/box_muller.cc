#include "dpbudget/mechanisms/box_muller.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

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

constexpr std::size_t pairs_at_once = 128;  // in the nearest cache

// The first numbers of pairs, and the second.
template <class Number>
struct Apart {
  alignas(64) std::array<Number, pairs_at_once> first;
  alignas(64) std::array<Number, pairs_at_once> second;
};

// Of two vectors of two pairs each the first numbers of all four, and the second; or two vectors of pairs, of one of
// first numbers and one of second. Applied twice it changes nothing, and no number leaves its half of a vector, for
// which instruction sets have one step: in between, the middle two of four pairs have changed places.
template <class Number>
[[gnu::always_inline]] inline void exchange(const Number* from, const Number* from_other, Number* to,
                                            Number* to_other) {
  using Four [[gnu::vector_size(4 * sizeof(Number))]] = Number;
  Four one, other;
  std::memcpy(&one, from, sizeof one);
  std::memcpy(&other, from_other, sizeof other);
  const Four firsts = __builtin_shufflevector(one, other, 0, 4, 2, 6);
  const Four seconds = __builtin_shufflevector(one, other, 1, 5, 3, 7);
  std::memcpy(to, &firsts, sizeof firsts);
  std::memcpy(to_other, &seconds, sizeof seconds);
}

// Plain loops, of which compilers make vectors. There are two, because a processor has more turns of short ones under
// way at once.
template <class Operations>
[[gnu::always_inline]] inline void transform(const std::uint64_t* words, double* draws, std::size_t groups) {
  Apart<std::uint64_t> in;
  Apart<double> out;
  for (std::size_t left = box_muller_words / 2 * groups; left > 0;) {
    const std::size_t pairs = std::min(left, pairs_at_once);
    for (std::size_t i = 0; i < pairs; i += 4) exchange(words + 2 * i, words + 2 * i + 4, &in.first[i], &in.second[i]);
    for (std::size_t i = 0; i < pairs; ++i)
      out.first[i] = std::sqrt(minus_twice_log<Operations>(unit_of<Operations>(in.second[i])));
    for (std::size_t i = 0; i < pairs; ++i) {
      const auto [sine, cosine] = sine_and_cosine_of<Operations>(in.first[i]);
      const double length = out.first[i];
      out.first[i] = length * sine;
      out.second[i] = length * cosine;
    }
    for (std::size_t i = 0; i < pairs; i += 4)
      exchange(&out.first[i], &out.second[i], draws + 2 * i, draws + 2 * i + 4);
    left -= pairs;
    words += 2 * pairs;
    draws += 2 * pairs;
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
