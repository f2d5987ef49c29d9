/// @file
/// Random numbers that are a function of what they are for, not of when or on which thread they are drawn.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

namespace dpbudget::mechanisms {

/// What a stream's numbers are used for. The values key the streams of every recorded run: add at the end, never
/// renumber.
enum class Purpose : std::uint64_t {
  data_generation = 1,
  partition = 2,
  user_sampling = 3,
  record_sampling = 4,
  noise = 5,
  initialisation = 6,
  local_randomness = 7,
  shuffling = 8,
  clipping = 9,
  rounding = 10,
  evaluation = 11,
  folds = 12,
  selection = 13,
  trials = 14,
};

/// The name of a stream. Every value of every field is allowed.
struct StreamKey {
  std::uint64_t seed = 0;
  Purpose purpose = Purpose::noise;
  std::uint64_t round = 0;
  std::uint64_t client = 0;
  std::uint64_t step = 0;
  friend bool operator==(const StreamKey&, const StreamKey&) = default;
};

/// What makes a stream's words, from the seed and the purpose as its key and (round, client, step, block) as its
/// counter.
enum class Generator {
  threefry,  ///< Threefry4x64-20, the last two words of whose key are zero
  philox,    ///< Philox4x64-10, slower: for what was drawn by it before
};

/// The random numbers named by a key. Streams of different keys never share an input of the generator, so with equal
/// seed and purpose no two of their 256-bit blocks are equal. A stream may be used by one thread at a time.
///
/// A UniformRandomBitGenerator of 64-bit words, for the standard library's and Boost's distributions.
///
/// Not a cryptographic generator: whoever knows the seed can subtract the noise, so a run whose seed is published
/// is a simulation of a private run.
/// @source Salmon, Moraes, Dror, Shaw 2011, "Parallel random numbers: as easy as 1, 2, 3"
class Stream {
 public:
  using result_type = std::uint64_t;

  explicit Stream(const StreamKey& key, Generator generator = Generator::threefry) : key_(key), generator_(generator) {}

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }
  result_type operator()() {
    if (used_ == filled_) refill();
    return words_[used_++];
  }

  /// @return a multiple of 2^-53, uniform in [0, 1)
  double uniform() { return static_cast<double>((*this)() >> 11) * 0x1p-53; }

  /// @param range  at least 1
  /// @return a number below `range`, all equally likely
  /// @throws InvalidArgument naming range
  /// @source Lemire 2019, "Fast random integer generation in an interval", Algorithm 5
  std::uint64_t below(std::uint64_t range);

  /// Two independent numbers, as if by below(first * second): its quotient by `second` and its remainder.
  /// @param first, second  in [1, 2^32)
  /// @throws InvalidArgument naming range
  std::pair<std::uint64_t, std::uint64_t> below(std::uint64_t first, std::uint64_t second);

  /// @return a draw from N(0, 1) by Box and Muller's transform; draws come in pairs of which the second is kept, and
  /// words taken in between by the other functions do not disturb it
  double normal();

  /// As many draws from N(0, 1), those that `normal` would give one after the other, to the bit: some hundred at a
  /// quarter of the time. They are the same on every machine.
  void fill_normal(std::span<double> draws);

 private:
  void take_blocks(std::span<std::uint64_t> words);
  void refill();
  std::uint64_t word_for(std::uint64_t range);
  void fill(std::span<std::uint64_t> words);

  static constexpr std::size_t block_words = 4;

  StreamKey key_;
  Generator generator_;
  std::uint64_t block_ = 0;
  std::array<std::uint64_t, 8 * block_words> words_{};
  std::size_t used_ = 0;
  std::size_t filled_ = 0;  // of words_
  double second_normal_ = 0;
  bool has_second_normal_ = false;
};

}  // namespace dpbudget::mechanisms
