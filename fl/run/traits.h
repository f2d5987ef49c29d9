/// @file
/// What the algorithms are like: how their gradients leave a client, and which fields of a run they read.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace dpbudget::fl {

struct Settings;

/// How a step's gradient leaves its client.
enum class Mechanism {
  none,               ///< as it is
  gaussian,           ///< the batch's mean with Gaussian noise
  shuffled_gaussian,  ///< each record's with Gaussian noise, through a shuffler that mixes all participants' reports
  shuffled_binomial,  ///< each record's as bits with binomial noise, through a shuffler
};

/// Local steps of a participant per round.
enum class Steps {
  given,     ///< local_steps
  one_pass,  ///< 1 / record_rate
  one,
};

/// A field of a run that only some algorithms read, and some of them only beside certain values of other fields.
struct TakenField {
  std::string_view key;
  bool (*applies)(const Settings&) = nullptr;  ///< nothing: always
  std::string_view when = {};                  ///< what `applies` says, in words: "with optimiser adam"
  bool is_filled = true;                       ///< whether it gets its default, where it has one, when it is left out
};

/// What a run must know of its algorithm, whoever trains.
struct AlgorithmTraits {
  std::string name = {};
  Mechanism mechanism = Mechanism::none;
  Steps steps = Steps::given;
  bool warm_starts = false;      ///< the -warm variants
  bool scaled_step = false;      ///< the local step size is eta_0 / (s K)
  bool single_record = false;    ///< a batch is one record
  bool strongly_convex = false;  ///< needs a positive regularisation
  bool personalised = false;     ///< clients keep models of their own
  bool released_mean = false;    ///< with one local step, all that is published is the weighted mean of the releases
  std::vector<TakenField> takes = {};  ///< beside the fields that every algorithm has

  bool adds_noise() const { return mechanism != Mechanism::none; }

  /// The field of that name; nothing where it is not among `takes`.
  const TakenField* taken(std::string_view key) const;

  /// Whether the algorithm reads that field of `run`.
  bool reads(std::string_view key, const Settings& run) const;
};

/// The algorithms of this library, and after them those that were added.
const std::deque<AlgorithmTraits>& all_algorithms();

/// Adds one, for as long as the program runs and before any thread asks: see algorithms/catalogue.h, which adds what
/// trains as well.
/// @throws InvalidArgument naming algorithm when its name is empty or taken
const AlgorithmTraits& add_traits(AlgorithmTraits traits);

/// @throws InvalidArgument naming algorithm and listing the names there are
const AlgorithmTraits& find_algorithm(std::string_view name);

}  // namespace dpbudget::fl
