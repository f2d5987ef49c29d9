/// @file
/// What the algorithms are like: how their gradients leave a client, and which options they read.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "dpbudget/fl/convergence/analysis.h"
#include "dpbudget/fl/run/mechanism.h"
#include "dpbudget/fl/run/option_list.h"

namespace dpbudget::fl {

/// Local steps of a participant per round.
enum class Steps {
  given,     ///< local_steps
  one_pass,  ///< 1 / record_rate
  one,
};

/// What a run must know of its algorithm, whoever trains.
struct AlgorithmTraits {
  std::string name = {};
  Mechanism mechanism = Mechanism::none;
  Steps steps = Steps::given;
  bool warm_starts = false;       ///< the -warm variants
  bool scaled_step = false;       ///< the local step size is eta_0 / (s K)
  bool single_record = false;     ///< a batch is one record
  bool disjoint_batches = false;  ///< batches may be disjoint
  bool strongly_convex = false;   ///< needs a positive regularisation
  bool personalised = false;      ///< clients keep models of their own
  bool released_mean = false;     ///< with one local step, all that is published is the weighted mean of the releases
  Analysis analysis = Analysis::none;  ///< whose theorems bound its runs and prescribe its steps
  OptionList options = {};  ///< as the algorithm declares them: whoever adds it to the catalogue leaves them out

  bool adds_noise() const { return traits_of(mechanism).adds_noise; }

  /// All option lists that its runs read: the algorithm's and its mechanism's.
  std::vector<OptionList> option_lists() const { return {options, options_of(mechanism)}; }

  /// Whether `key` is an option of one of them.
  bool takes(std::string_view key) const;
};

/// The algorithms of this library, and after them those that were added.
const std::deque<AlgorithmTraits>& all_algorithms();

/// Those of this library. Who trains stands on a floor above this one and knows them: algorithms/catalogue.cc.
std::deque<AlgorithmTraits> own_algorithms();

/// Adds one, for as long as the program runs and before any thread asks: see algorithms/catalogue.h, which adds what
/// trains as well.
/// @throws InvalidArgument naming algorithm when its name is empty or taken, or the option whose key is that of a field
///         or, with another type, of another algorithm's option
const AlgorithmTraits& add_traits(AlgorithmTraits traits);

/// @throws InvalidArgument naming algorithm and listing the names there are
const AlgorithmTraits& find_algorithm(std::string_view name);

}  // namespace dpbudget::fl
