#include "dpbudget/mechanisms/random.h"

#include <Random123/philox.h>

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/mechanisms/box_muller.h"
#include "dpbudget/mechanisms/threefry.h"

namespace dpbudget::mechanisms {

namespace {

std::uint64_t upper_half(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>((boost::multiprecision::uint128_t(a) * b) >> 64U);
}

}  // namespace

void Stream::take_blocks(std::span<std::uint64_t> words) {
  const std::array key = {key_.seed, static_cast<std::uint64_t>(key_.purpose)};
  if (generator_ == Generator::threefry) {
    threefry_blocks({key, {key_.round, key_.client, key_.step}}, block_, words);
    block_ += words.size() / block_words;
    return;
  }
  for (; !words.empty(); words = words.subspan(block_words)) {
    const auto block =
        r123::Philox4x64()({{key_.round, key_.client, key_.step, block_++}}, {{key.front(), key.back()}});
    std::ranges::copy(block, words.begin());
  }
}

// One block at first, for many streams are asked for no more, and then many, which take less time together.
void Stream::refill() {
  filled_ = block_ == 0 ? block_words : words_.size();
  take_blocks(std::span(words_).first(filled_));
  used_ = 0;
}

// Whole blocks are written where they are wanted.
void Stream::fill(std::span<std::uint64_t> words) {
  while (!words.empty() && used_ < filled_) {
    words.front() = words_[used_++];
    words = words.subspan(1);
  }
  const std::size_t whole = words.size() / block_words * block_words;
  take_blocks(words.first(whole));
  for (std::uint64_t& word : words.subspan(whole)) word = (*this)();
}

// A word that Lemire's method does not reject.
std::uint64_t Stream::word_for(std::uint64_t range) {
  require(1 <= range, "range", range, "at least 1");
  while (true) {
    const std::uint64_t word = (*this)();
    const std::uint64_t low = word * range;
    // What is rejected lies below (2^64 - range) mod range, and so below range: the division is seldom needed.
    if (low >= range || low >= (max() - range + 1) % range) return word;
  }
}

std::uint64_t Stream::below(std::uint64_t range) { return upper_half(word_for(range), range); }

std::pair<std::uint64_t, std::uint64_t> Stream::below(std::uint64_t first, std::uint64_t second) {
  require(((first | second) >> 32U) == 0, "range", std::max(first, second), "below 2^32, as the other");
  const std::uint64_t range = first * second;
  const std::uint64_t word = word_for(range);
  // floor(floor(word range / 2^64) / second) = floor(word first / 2^64).
  const std::uint64_t quotient = upper_half(word, first);
  return {quotient, upper_half(word, range) - quotient * second};
}

double Stream::normal() {
  if (has_second_normal_) {
    has_second_normal_ = false;
    return second_normal_;
  }
  const std::uint64_t angle = (*this)();
  const std::uint64_t radius = (*this)();
  const NormalPair pair = box_muller(angle, radius);
  second_normal_ = pair.second;
  has_second_normal_ = true;
  return pair.first;
}

void Stream::fill_normal(std::span<double> draws) {
  constexpr std::size_t at_once = 16 * box_muller_words;
  constexpr std::size_t few = 8;  // take longer together than one by one
  if (has_second_normal_ && !draws.empty()) {
    draws.front() = normal();
    draws = draws.subspan(1);
  }
  std::array<std::uint64_t, at_once> words;
  while (draws.size() > few) {
    // Whole pairs, and of what is left over the first draw of a pair is drawn alone.
    const std::size_t taken = std::min(draws.size() / 2 * 2, at_once);
    fill(std::span(words).first(taken));
    box_muller(std::span(words).first(taken), draws.first(taken));
    draws = draws.subspan(taken);
  }
  for (double& draw : draws) draw = normal();
}

}  // namespace dpbudget::mechanisms
