/// @file
/// How a step's gradient leaves its client.
#pragma once

#include <cstdint>
#include <tuple>

#include "dpbudget/fl/run/option_list.h"

namespace dpbudget::fl {

enum class Mechanism {
  none,               ///< as it is
  gaussian,           ///< the batch's mean with Gaussian noise
  shuffled_gaussian,  ///< each record's with Gaussian noise, through a shuffler that mixes all participants' reports
  shuffled_binomial,  ///< each record's as bits with binomial noise, through a shuffler: BinomialNoise
};

/// What a run of shuffled_binomial says of its bits.
struct BinomialNoise {
  std::uint64_t granularity = 1024;  ///< >= 1: steps of an encoded coordinate
  std::uint64_t noise_bits = 4096;   ///< >= 1: random bits of an encoded coordinate

  static auto options() {
    return std::tuple(
        option(&BinomialNoise::granularity, "granularity", "steps that an encoded coordinate is divided in",
               range::counted)
            .for_plans(),
        option(&BinomialNoise::noise_bits, "noise_bits", "random bits of an encoded coordinate", range::counted)
            .for_plans());
  }
};

/// Whether a shuffler mixes the reports of all participants.
constexpr bool is_shuffled(Mechanism mechanism) {
  return mechanism == Mechanism::shuffled_gaussian || mechanism == Mechanism::shuffled_binomial;
}

/// What a run of that mechanism has to say besides its noise and its clipping norm.
OptionList options_of(Mechanism mechanism);

}  // namespace dpbudget::fl
