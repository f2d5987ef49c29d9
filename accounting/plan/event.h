/// @file
/// The event tree: everything an accountant needs to know of what was released, and nothing else.
///
/// Noise is always measured against the sensitivity *under the plan's adjacency*: a noise multiplier is the noise's
/// standard deviation divided by that sensitivity. For a sum of contributions clipped to norm C the sensitivity is C
/// under add_or_remove_one and zero_out_one, and 2 C under replace_one.
///
/// Ranges are checked where an event is made from outside (language.h, json.h) and again by `check` in plan.h. Each
/// event describes itself, `name` and `fields` (fields.h): what stands there is all that language, JSON, checks and
/// reports know of it.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "dpbudget/accounting/plan/fields.h"
#include "dpbudget/accounting/plan/quantity.h"
#include "dpbudget/accounting/plan/table.h"
#include "dpbudget/accounting/plan/trials.h"

namespace dpbudget {

struct Event;

/// A node's one child. Trees are immutable and share their branches.
class Inner {
 public:
  Inner(Event event);  // NOLINT(google-explicit-constructor): an event is a child
  const Event& operator*() const { return *event_; }
  const Event* operator->() const { return event_.get(); }
  friend bool operator==(const Inner& a, const Inner& b);

 private:
  std::shared_ptr<const Event> event_;
};

// Leaves: one release.

/// A vector of L2 sensitivity 1 plus N(0, noise_multiplier^2) in every coordinate. noise_multiplier in (0, inf).
struct Gaussian {
  Real noise_multiplier;
  friend bool operator==(const Gaussian&, const Gaussian&) = default;

  static constexpr EventName name = {"gaussian", "gaussian",
                                     "a vector that one record changes by at most one unit of L2 norm, with Gaussian "
                                     "noise of that standard deviation in every coordinate"};
  static constexpr auto fields(auto&& with) { return with(fields::noise_multiplier(&Gaussian::noise_multiplier)); }
};

/// A real number of sensitivity 1 plus Laplace noise of density exp(-|z| / scale) / (2 scale). scale in (0, inf).
struct Laplace {
  Real scale;
  friend bool operator==(const Laplace&, const Laplace&) = default;

  static constexpr EventName name = {
      "laplace", "laplace",
      "a real number that one record changes by at most one unit, with Laplace noise of that scale"};
  static constexpr auto fields(auto&& with) { return with(fields::scale(&Laplace::scale)); }
};

/// An integer of sensitivity 1 plus integer noise with P(z) proportional to exp(-z^2 / (2 noise_multiplier^2)).
/// noise_multiplier in (0, inf).
struct DiscreteGaussian {
  Real noise_multiplier;
  friend bool operator==(const DiscreteGaussian&, const DiscreteGaussian&) = default;

  static constexpr EventName name = {"discrete_gaussian", "discrete_gaussian",
                                     "an integer that one record changes by at most 1, with discrete Gaussian noise"};
  static constexpr auto fields(auto&& with) {
    return with(fields::noise_multiplier(&DiscreteGaussian::noise_multiplier));
  }
};

/// An integer of sensitivity 1 plus integer noise with P(z) proportional to exp(-|z| / scale). scale in (0, inf), as
/// far as 1/scale is finite.
struct DiscreteLaplace {
  Real scale;
  friend bool operator==(const DiscreteLaplace&, const DiscreteLaplace&) = default;

  static constexpr EventName name = {"discrete_laplace", "discrete_laplace",
                                     "an integer that one record changes by at most 1, with discrete Laplace noise"};
  static constexpr auto fields(auto&& with) { return with(fields::scale(&DiscreteLaplace::scale)); }
};

/// One of `categories` values, reported truly with odds e^epsilon against each other value: the truth has probability
/// e^epsilon / (e^epsilon + categories - 1). epsilon in [0, inf), categories in [2, 2^53].
struct RandomizedResponse {
  Real epsilon;
  std::uint64_t categories = 2;
  friend bool operator==(const RandomizedResponse&, const RandomizedResponse&) = default;

  static constexpr EventName name = {"rr", "randomized_response",
                                     "a record's value, reported truly with odds e^epsilon against each other value"};
  static constexpr auto fields(auto&& with) {
    return with(fields::epsilon(&RandomizedResponse::epsilon), fields::categories(&RandomizedResponse::categories));
  }
};

/// A vector plus N(0, noise_multiplier^2) in every coordinate, to which the record adds one of norm `offset` at most
/// with that `probability`, by a secret draw independent of all data, and nothing where the probabilities leave a rest.
/// noise_multiplier in (0, inf), in the unit of the offsets. Rows of `shifts` are a probability in [0, 1] and an offset
/// in [0, inf); probabilities that add up to 1 but for `rounding_of_probabilities` are taken for shares of their sum.
struct MixtureOfGaussians {
  Real noise_multiplier;
  Table shifts;
  friend bool operator==(const MixtureOfGaussians&, const MixtureOfGaussians&) = default;

  static constexpr EventName name = {
      "mixture", "mixture_of_gaussians",
      "a vector to which a record adds one of the offsets' norm at most, chosen by a secret draw with those "
      "probabilities and independent of all data, with Gaussian noise of that standard deviation"};
  static constexpr auto fields(auto&& with) {
    return with(fields::noise_multiplier(&MixtureOfGaussians::noise_multiplier),
                fields::shifts(&MixtureOfGaussians::shifts));
  }
};

/// Any mechanism that is epsilon-DP. epsilon in [0, inf).
struct PureDp {
  Real epsilon;
  friend bool operator==(const PureDp&, const PureDp&) = default;

  static constexpr EventName name = {"pure", "pure_dp",
                                     "any mechanism that is epsilon-DP; that it is so is taken as given"};
  static constexpr auto fields(auto&& with) { return with(fields::epsilon(&PureDp::epsilon)); }
};

/// Any mechanism that is (epsilon, delta)-DP. epsilon in [0, inf), delta in [0, 1].
struct ApproximateDp {
  Real epsilon;
  Real delta;
  friend bool operator==(const ApproximateDp&, const ApproximateDp&) = default;

  static constexpr EventName name = {"approximate", "approximate_dp",
                                     "any mechanism that is (epsilon, delta)-DP; that it is so is taken as given"};
  static constexpr auto fields(auto&& with) {
    return with(fields::epsilon(&ApproximateDp::epsilon), fields::delta(&ApproximateDp::delta));
  }
};

/// Any mechanism that is rho-zCDP: Renyi divergences of at most rho times their order. rho in [0, inf).
struct ConcentratedDp {
  Real rho;
  friend bool operator==(const ConcentratedDp&, const ConcentratedDp&) = default;

  static constexpr EventName name = {"zcdp", "concentrated_dp",
                                     "any mechanism that is rho-zCDP; that it is so is taken as given"};
  static constexpr auto fields(auto&& with) { return with(fields::rho(&ConcentratedDp::rho)); }
};

/// Any mechanism that is (rho, omega)-tCDP: Renyi divergences of at most rho times their order, at the orders below
/// omega. rho in [0, inf), omega in (1, inf) and never unknown.
struct TruncatedConcentratedDp {
  Real rho;
  Real omega;
  friend bool operator==(const TruncatedConcentratedDp&, const TruncatedConcentratedDp&) = default;

  static constexpr EventName name = {"tcdp", "truncated_concentrated_dp",
                                     "any mechanism that is (rho, omega)-tCDP; that it is so is taken as given"};
  static constexpr auto fields(auto&& with) {
    return with(fields::rho(&TruncatedConcentratedDp::rho), fields::omega(&TruncatedConcentratedDp::omega));
  }
};

/// Any mechanism whose Renyi divergence of each order in the table is at most what stands there, in both directions.
/// Orders in (1, inf), increasing; divergences in [0, inf).
struct RenyiDp {
  Table divergences;
  friend bool operator==(const RenyiDp&, const RenyiDp&) = default;

  static constexpr EventName name = {"renyi", "renyi_dp",
                                     "any mechanism whose Rényi divergences in both directions are at most those of "
                                     "the table; that they are is taken as given"};
  static constexpr auto fields(auto&& with) { return with(fields::divergences(&RenyiDp::divergences)); }
};

/// Any mechanism that is (epsilon, delta)-DP for each row of the table. Epsilons in [0, 700], increasing; deltas in
/// [0, 1].
struct PrivacyProfile {
  Table points;
  friend bool operator==(const PrivacyProfile&, const PrivacyProfile&) = default;

  static constexpr EventName name = {"profile", "privacy_profile",
                                     "any mechanism that is (epsilon, delta)-DP for every row of the table; that it is "
                                     "so is taken as given"};
  static constexpr auto fields(auto&& with) { return with(fields::points(&PrivacyProfile::points)); }
};

/// Any mechanism that is mu-GDP: no easier to tell apart than N(0, 1) and N(mu, 1). mu in [0, inf).
struct GaussianDp {
  Real mu;
  friend bool operator==(const GaussianDp&, const GaussianDp&) = default;

  static constexpr EventName name = {"gdp", "gaussian_dp",
                                     "any mechanism that is mu-GDP; that it is so is taken as given"};
  static constexpr auto fields(auto&& with) { return with(fields::mu(&GaussianDp::mu)); }
};

/// Any mechanism of bounded range epsilon: on two neighbours, the log ratios of any two outputs' probabilities differ
/// by at most epsilon. The exponential mechanism with P proportional to exp(epsilon u / (2 d)), d the sensitivity of u,
/// is one. It is epsilon-DP. epsilon in [0, inf).
struct BoundedRange {
  Real epsilon;
  friend bool operator==(const BoundedRange&, const BoundedRange&) = default;

  static constexpr EventName name = {
      "exponential", "bounded_range",
      "any mechanism of bounded range epsilon, as the exponential mechanism is; that it is so is taken as given"};
  static constexpr auto fields(auto&& with) { return with(fields::epsilon(&BoundedRange::epsilon)); }
};

// Frequency oracles: what a user reports of which one of `categories` values is theirs, so that the collector can
// estimate how frequent each value is. epsilon in [0, inf), categories in [2, 2^53]. What two values' reports tell
// apart is told_response.h.

/// A set of `subset` values, e^epsilon times as likely where the user's is one of them as where it is not. subset in
/// [1, categories - 1], or 0 for best_subset_size (told_response.h), if epsilon is known.
/// @source Ye, Barg 2018; Wang et al. 2016
struct SubsetSelection {
  Real epsilon;
  std::uint64_t categories;
  std::uint64_t subset = 0;
  friend bool operator==(const SubsetSelection&, const SubsetSelection&) = default;

  static constexpr EventName name = {
      "subset_selection", "subset_selection",
      "a set of a fixed number of values, e^epsilon times as likely where the record's value is among them"};
  static constexpr auto fields(auto&& with) {
    return with(fields::epsilon(&SubsetSelection::epsilon), fields::domain(&SubsetSelection::categories),
                fields::subset(&SubsetSelection::subset));
  }
};

/// Basic one-time RAPPOR: a bit for each value, that of the user's set, each turned over with probability
/// 1 / (e^(epsilon/2) + 1).
/// @source Erlingsson, Pihur, Korolova 2014
struct Rappor {
  Real epsilon;
  std::uint64_t categories;
  friend bool operator==(const Rappor&, const Rappor&) = default;

  static constexpr EventName name = {"rappor", "rappor",
                                     "a bit for each value, that of the record's value set, each turned over with "
                                     "probability 1 / (e^(epsilon/2) + 1)"};
  static constexpr auto fields(auto&& with) {
    return with(fields::epsilon(&Rappor::epsilon), fields::domain(&Rappor::categories));
  }
};

/// Optimised unary encoding: a bit for each value, set with probability 1/2 for the user's and 1 / (e^epsilon + 1) for
/// every other.
/// @source Wang, Blocki, Li, Jha 2017
struct UnaryEncoding {
  Real epsilon;
  std::uint64_t categories;
  friend bool operator==(const UnaryEncoding&, const UnaryEncoding&) = default;

  static constexpr EventName name = {"oue", "optimized_unary_encoding",
                                     "a bit for each value, set with probability 1/2 for the record's value and with "
                                     "1 / (e^epsilon + 1) for every other"};
  static constexpr auto fields(auto&& with) {
    return with(fields::epsilon(&UnaryEncoding::epsilon), fields::domain(&UnaryEncoding::categories));
  }
};

/// Hadamard response, of one block: value x has row x + 1 of Sylvester's Hadamard matrix of the least order above
/// `categories`; a column is reported, e^epsilon times as likely where the row has a 1 as where it has a -1.
/// @source Acharya, Sun, Zhang 2019
struct HadamardResponse {
  Real epsilon;
  std::uint64_t categories;
  friend bool operator==(const HadamardResponse&, const HadamardResponse&) = default;

  static constexpr EventName name = {
      "hadamard", "hadamard_response",
      "a column of a Hadamard matrix, e^epsilon times as likely where the row of the record's value has a 1"};
  static constexpr auto fields(auto&& with) {
    return with(fields::epsilon(&HadamardResponse::epsilon), fields::domain(&HadamardResponse::categories));
  }
};

// Nodes: what happened around a release.

/// A sampling rate, either as a number in [0, 1] or exactly as `drawn` of `population`, with
/// 0 <= drawn <= population and 1 <= population <= 2^53.
struct Rate {
  /// A rate as a ratio of integers.
  struct Fraction {
    std::uint64_t drawn;
    std::uint64_t population;
    friend bool operator==(const Fraction&, const Fraction&) = default;
  };
  std::variant<Real, Fraction> form;

  Rate(double rate) : form(Real(rate)) {}  // NOLINT(google-explicit-constructor)
  Rate(Real rate) : form(rate) {}          // NOLINT(google-explicit-constructor)
  Rate(std::uint64_t drawn, std::uint64_t population) : form(Fraction{drawn, population}) {}

  bool is_unknown() const { return std::holds_alternative<Real>(form) && std::get<Real>(form).is_unknown(); }
  /// @throws InvalidArgument when the rate is unknown
  double value() const {
    if (const auto* fraction = std::get_if<Fraction>(&form))
      return static_cast<double>(fraction->drawn) / static_cast<double>(fraction->population);
    return std::get<Real>(form).value();
  }
  friend bool operator==(const Rate&, const Rate&) = default;
};

/// Each record joins the sample with probability `rate`, independently of the others; `inner` runs on the sample. The
/// sample stays secret.
struct PoissonSampled {
  Rate rate;
  Inner inner;
  friend bool operator==(const PoissonSampled&, const PoissonSampled&) = default;

  static constexpr EventName name = {
      "poisson", "poisson_sampled",
      "each record joins a sample with that probability, independently of all others; who joined stays secret"};
  static constexpr auto fields(auto&& with) {
    return with(fields::rate(&PoissonSampled::rate), fields::inner(&PoissonSampled::inner));
  }
};

/// A uniformly random subset of the records, of a size fixed in advance (`rate` times their number), is drawn, and
/// `inner` runs on it. The subset stays secret. If `clipped`, `inner` is a Gaussian release of a sum over the subset to
/// which each record adds a vector of a ball whose diameter is the sensitivity: any mechanism that clips each record's
/// vector to norm C and adds noise of standard deviation noise_multiplier * 2 C to their sum.
struct SampledWithoutReplacement {
  Rate rate;
  Inner inner;
  bool clipped = false;
  friend bool operator==(const SampledWithoutReplacement&, const SampledWithoutReplacement&) = default;

  static constexpr EventName name = {
      "wor", "sampled_without_replacement",
      "a sample of a size fixed in advance, uniform among all of that size; who was drawn stays secret; if clipped, "
      "the sum over the sample of one vector for each record is released, and all of these lie in a ball whose "
      "diameter is the sensitivity, as where they are clipped to half of that"};
  static constexpr auto fields(auto&& with) {
    return with(fields::rate(&SampledWithoutReplacement::rate), fields::inner(&SampledWithoutReplacement::inner),
                fields::clipped(&SampledWithoutReplacement::clipped));
  }
};

/// How often one record after the other is drawn, uniformly, from all of them. number in [1, 10^9], population in
/// [1, 2^53]; number may exceed the population.
struct Draws {
  Count number;
  std::uint64_t population;
  friend bool operator==(const Draws&, const Draws&) = default;
};

/// `inner` runs on a batch that is drawn record by record from all of them, each draw independent of the others, so
/// that the batch may hold a record several times. Noise is measured against the sensitivity to one of the batch's
/// places. The batch stays secret.
struct SampledWithReplacement {
  Draws draws;
  Inner inner;
  friend bool operator==(const SampledWithReplacement&, const SampledWithReplacement&) = default;

  static constexpr EventName name = {"with_replacement", "sampled_with_replacement",
                                     "a batch of so many independent uniform draws; what was drawn stays secret, and "
                                     "the noise is measured against one of the batch's places"};
  static constexpr auto fields(auto&& with) {
    return with(fields::draws(&SampledWithReplacement::draws), fields::inner(&SampledWithReplacement::inner));
  }
};

/// Each record is drawn with probability `rate`, independently of the others; where more are drawn than the batch has
/// places, as many as it has are kept, uniformly. `inner` runs on the batch, which stays secret. `batch` is how
/// many places, never unknown, of how many records: those of the larger one of two neighbours. number in [1, 10^9],
/// population in [1, 2^53].
struct TruncatedPoisson {
  Rate rate;
  Draws batch;
  Inner inner;
  friend bool operator==(const TruncatedPoisson&, const TruncatedPoisson&) = default;

  static constexpr EventName name = {
      "truncated_poisson", "truncated_poisson_sampled",
      "each record is drawn with that probability, independently of all others, and as many as the batch has places "
      "are kept, uniformly; who was drawn or kept stays secret"};
  static constexpr auto fields(auto&& with) {
    return with(fields::rate(&TruncatedPoisson::rate), fields::batch(&TruncatedPoisson::batch),
                fields::inner(&TruncatedPoisson::inner));
  }
};

/// The record's holder takes part with probability `rate`, independently of all data. When it does, `inner` is
/// released; when it does not, nothing that is released depends on the record. The adversary may learn which of the
/// two happened (accounting/renyi/proofs.md, 6.1). Records are the unit of privacy, not their holder's
/// participation.
struct Participates {
  Rate rate;
  Inner inner;
  friend bool operator==(const Participates&, const Participates&) = default;

  static constexpr EventName name = {
      "participates", "participates",
      "the record's holder takes part with that probability, independently of all data; whether it did may be known"};
  static constexpr auto fields(auto&& with) {
    return with(fields::rate(&Participates::rate), fields::inner(&Participates::inner));
  }
};

/// `count` adaptive repetitions of `inner`, each with fresh randomness. count in [0, 2^53].
struct Repeated {
  Count count;
  Inner inner;
  friend bool operator==(const Repeated&, const Repeated&) = default;

  static constexpr EventName name = {
      "", "repeated",
      "each repetition uses fresh randomness; it may depend on what was released before, its noise and rates may not"};
  static constexpr auto fields(auto&& with) {
    return with(fields::count(&Repeated::count), fields::inner(&Repeated::inner));
  }
};

/// Adaptive composition of all `parts`, each with fresh randomness. No parts: nothing is released.
struct Composed {
  std::vector<Event> parts;
  friend bool operator==(const Composed&, const Composed&) = default;

  static constexpr EventName name = {
      "", "composed",
      "each part uses fresh randomness; it may depend on what was released before, its noise and rates may not"};
  static constexpr auto fields(auto&& with) { return with(fields::parts(&Composed::parts)); }
};

/// `reports` users each run `inner`, one randomiser for all, on their own record; a trusted shuffler releases the
/// reports in random order. Where users' randomisers differ or adapt to earlier reports, the users must be put into
/// random order before they report (shuffle/clones/clones.h). Or silos of exactly `records` records each, `inner` being
/// what a silo's report guarantees to every single one of them. Of an `inner` that is not epsilon-DP nothing is known
/// to be hidden, from above, but of a guarantee. reports in [1, 2^53], records in [1, 2^53].
struct Shuffled {
  Count reports;
  Inner inner;
  std::uint64_t records = 1;
  friend bool operator==(const Shuffled&, const Shuffled&) = default;

  static constexpr EventName name = {"shuffle", "shuffled",
                                     "every report is randomised before it leaves its user, and a trusted shuffler, "
                                     "that the adversary does not see into, puts them into uniformly random order"};
  static constexpr auto fields(auto&& with) {
    return with(fields::reports(&Shuffled::reports), fields::inner(&Shuffled::inner),
                fields::records(&Shuffled::records));
  }
};

/// Into how many of how many batches a record is dealt: into `times` different ones of `number`. number in [1, 2^53],
/// times in [1, number], never unknown.
struct Steps {
  Count number;
  std::uint64_t times = 1;

  Steps(Count steps) : number(steps) {}          // NOLINT(google-explicit-constructor): into one of so many
  Steps(std::uint64_t steps) : number(steps) {}  // NOLINT(google-explicit-constructor)
  Steps(std::uint64_t dealt, Count steps) : number(steps), times(dealt) {}

  /// @throws InvalidArgument when the number is unknown
  std::uint64_t value() const { return number.value(); }
  friend bool operator==(const Steps&, const Steps&) = default;
};

/// Each record is dealt to one of `steps` batches, or to so many different ones, uniformly and independently of the
/// others; `inner` runs on each batch in turn, with fresh randomness. Which batches a record is in stays secret.
/// Batches that are cut from one permutation are not this.
struct RandomlyAllocated {
  Steps steps;
  Inner inner;
  friend bool operator==(const RandomlyAllocated&, const RandomlyAllocated&) = default;

  static constexpr EventName name = {"random_allocation", "randomly_allocated",
                                     "each record is dealt to one of the batches, or to as many as said, uniformly and "
                                     "independently of all others; which stays secret"};
  static constexpr auto fields(auto&& with) {
    return with(fields::dealt_steps(&RandomlyAllocated::steps), fields::inner(&RandomlyAllocated::inner));
  }
};

/// All records are put into one uniformly random order, which is cut into `steps` batches of one size; `inner` runs on
/// each batch in turn, with fresh randomness. The order stays secret. steps in [1, 2^53].
struct ShuffledBatches {
  Count steps;
  Inner inner;
  friend bool operator==(const ShuffledBatches&, const ShuffledBatches&) = default;

  static constexpr EventName name = {"shuffled_batches", "shuffled_batches",
                                     "the records are put into one uniformly random order, which stays secret and is "
                                     "cut into so many batches of one size"};
  static constexpr auto fields(auto&& with) {
    return with(fields::steps(&ShuffledBatches::steps), fields::inner(&ShuffledBatches::inner));
  }
};

/// `inner`, where neighbours are up to `records` steps of the adjacency apart: what it tells of so many records
/// together, as of all that one person has. In samples and batches each of them is drawn by itself. records in [1,
/// 10^9].
struct Grouped {
  Count records;
  Inner inner;
  friend bool operator==(const Grouped&, const Grouped&) = default;

  static constexpr EventName name = {"group", "grouped", "neighbours are up to so many records apart"};
  static constexpr auto fields(auto&& with) {
    return with(fields::group(&Grouped::records), fields::inner(&Grouped::inner));
  }
};

/// `inner` is run a random number of times, each with fresh randomness and on the same data, none knowing of the
/// others, and the best output is released, by a score that is a function of the output, with a draw of its own among
/// equals. How many runs there were stays secret, and so does every other output. Where there was none, that is
/// released.
struct Selected {
  Trials trials;
  Inner inner;
  friend bool operator==(const Selected&, const Selected&) = default;

  static constexpr EventName name = {
      "select", "selected",
      "the best of a random number of independent runs, by a score that depends on nothing but a run's output; the "
      "number of runs is drawn independently of all data and stays secret, as all other outputs do"};
  static constexpr auto fields(auto&& with) {
    return with(fields::trials(&Selected::trials), fields::inner(&Selected::inner));
  }
};

struct Event
    : std::variant<Gaussian, Laplace, DiscreteGaussian, DiscreteLaplace, RandomizedResponse, MixtureOfGaussians, PureDp,
                   ApproximateDp, ConcentratedDp, TruncatedConcentratedDp, RenyiDp, PrivacyProfile, GaussianDp,
                   BoundedRange, SubsetSelection, Rappor, UnaryEncoding, HadamardResponse, PoissonSampled,
                   SampledWithoutReplacement, SampledWithReplacement, TruncatedPoisson, Participates, Repeated,
                   Composed, Shuffled, RandomlyAllocated, ShuffledBatches, Grouped, Selected> {
  using variant::variant;
};

/// The frequency oracles, of which most visitors need know what told_response.h says.
template <class Kind>
concept FrequencyOracle = std::same_as<Kind, SubsetSelection> || std::same_as<Kind, Rappor> ||
                          std::same_as<Kind, UnaryEncoding> || std::same_as<Kind, HadamardResponse>;

inline Inner::Inner(Event event) : event_(std::make_shared<const Event>(std::move(event))) {}
inline bool operator==(const Inner& a, const Inner& b) { return a.event_ == b.event_ || *a == *b; }

}  // namespace dpbudget
