/// @file
/// How a step's gradient leaves its client.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>

#include "dpbudget/fl/run/option_list.h"

namespace dpbudget::fl {

/// What randomises a release.
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

/// What everybody but who adds the noise (simulate/release.cc) and who prices it (account/release_event.cc) must know.
struct MechanismTraits {
  Mechanism mechanism;
  std::string_view name;   ///< what a ledger calls its releases
  bool adds_noise;         ///< and clips
  bool takes_multipliers;  ///< its noise is Gaussian, by the run's noise and schedule
  bool is_shuffled;        ///< each record's gradient is a report of its own, which hides among all participants'
  bool encodes_bits;       ///< its noise is that of a BinomialNoise
};

inline constexpr std::array all_mechanisms = {
    MechanismTraits{Mechanism::none, "none", false, false, false, false},
    MechanismTraits{Mechanism::gaussian, "gaussian", true, true, false, false},
    MechanismTraits{Mechanism::shuffled_gaussian, "shuffled_gaussian", true, true, true, false},
    MechanismTraits{Mechanism::shuffled_binomial, "shuffled_binomial", true, false, true, true},
};

/// The traits of one mechanism.
const MechanismTraits& traits_of(Mechanism mechanism);

/// The one of that name in a ledger.
std::optional<Mechanism> find_mechanism(std::string_view name);

/// What a run of that mechanism has to say besides its noise and its clipping norm.
OptionList options_of(Mechanism mechanism);

}  // namespace dpbudget::fl
