#include "dpbudget/mechanisms/philox.h"

#include <Random123/philox.h>

#include <cstddef>

namespace dpbudget::mechanisms {
namespace {

#if defined(__GNUC__) && defined(__x86_64__)
__extension__ using Product = unsigned __int128;

// Random123's rounds as compilers know them. Its own are assembly, which keeps to the multiplication of older
// processors.
[[gnu::always_inline]] inline void blocks_in_line(PhiloxSequence sequence, std::uint64_t first,
                                                  std::span<std::uint64_t> words) {
  for (std::size_t i = 0; i < words.size(); i += 4, ++first) {
    std::uint64_t x0 = sequence.counter[0], x1 = sequence.counter[1], x2 = sequence.counter[2], x3 = first;
    std::uint64_t key0 = sequence.key[0], key1 = sequence.key[1];
#pragma GCC unroll 10
    for (int turn = 0; turn < 10; ++turn) {
      const Product product0 = Product{PHILOX_M4x64_0} * x0;
      const Product product1 = Product{PHILOX_M4x64_1} * x2;
      x0 = static_cast<std::uint64_t>(product1 >> 64U) ^ x1 ^ key0;
      x1 = static_cast<std::uint64_t>(product1);
      x2 = static_cast<std::uint64_t>(product0 >> 64U) ^ x3 ^ key1;
      x3 = static_cast<std::uint64_t>(product0);
      key0 += PHILOX_W64_0;
      key1 += PHILOX_W64_1;
    }
    words[i] = x0;
    words[i + 1] = x1;
    words[i + 2] = x2;
    words[i + 3] = x3;
  }
}

[[gnu::target("bmi2")]] void blocks_bmi2(const PhiloxSequence& sequence, std::uint64_t first,
                                         std::span<std::uint64_t> words) {
  blocks_in_line(sequence, first, words);
}

bool has_bmi2() {
  static const bool has = __builtin_cpu_supports("bmi2") != 0;
  return has;
}
#endif

void blocks_anywhere(const PhiloxSequence& sequence, std::uint64_t first, std::span<std::uint64_t> words) {
  const r123::Philox4x64::key_type key{{sequence.key[0], sequence.key[1]}};
  const auto& [round, client, step] = sequence.counter;
  for (std::size_t i = 0; i < words.size(); i += 4, ++first) {
    const r123::Philox4x64::ctr_type block = r123::Philox4x64()({{round, client, step, first}}, key);
    for (std::size_t j = 0; j < 4; ++j) words[i + j] = block[j];
  }
}

}  // namespace

void philox_blocks(const PhiloxSequence& sequence, std::uint64_t first, std::span<std::uint64_t> words) {
#if defined(__GNUC__) && defined(__x86_64__)
  if (has_bmi2()) return blocks_bmi2(sequence, first, words);
#endif
  blocks_anywhere(sequence, first, words);
}

}  // namespace dpbudget::mechanisms
