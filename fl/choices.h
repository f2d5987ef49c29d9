/// @file
/// The named choices of a run.
#pragma once

#include "dpbudget/fl/names.h"

namespace dpbudget::fl {

/// What the noise scale protects: one record, or everything that one user holds.
enum class Unit { record, user };

/// How a round's participants are drawn, and what their updates count. p_i is the weight of client i among all.
enum class ClientSampling {
  uniform,  ///< r of n without replacement, each update times (n / r) p_i: unbiased (Chen et al. 2024, Lemma 5)
  poisson,  ///< each client by itself with probability l, updates times p_i over the sum of the participants' p_j
  md,       ///< r draws with replacement by the probabilities p_i, each draw's update times 1 / r (Li et al. 2020)
  fedavg,   ///< r of n without replacement, updates times p_i: who is not drawn counts as unchanged (McMahan et al.
            ///< 2017)
};

/// p_i: the same for all, or in proportion to the records held.
enum class Weights { equal, records };

/// Which records a step sees: a fresh random batch, or the client's next ones, each used once in the whole run.
enum class Batches { fresh, disjoint };

/// The norm that a record's gradient is clipped to: given, following a private estimate of a quantile of the norms, or
/// the median of each batch, which is not private.
enum class Clipping { fixed, adaptive, median };

/// How a client steps along the gradients that it releases.
enum class Optimiser { sgd, momentum, adam };

template <>
struct Names<Unit> {
  static constexpr NameTable<Unit, 2> all{{{Unit::record, "record"}, {Unit::user, "user"}}};
};
template <>
struct Names<ClientSampling> {
  static constexpr NameTable<ClientSampling, 4> all{{{ClientSampling::uniform, "uniform"},
                                                     {ClientSampling::poisson, "poisson"},
                                                     {ClientSampling::md, "md"},
                                                     {ClientSampling::fedavg, "fedavg"}}};
};
template <>
struct Names<Weights> {
  static constexpr NameTable<Weights, 2> all{{{Weights::equal, "equal"}, {Weights::records, "records"}}};
};
template <>
struct Names<Batches> {
  static constexpr NameTable<Batches, 2> all{{{Batches::fresh, "fresh"}, {Batches::disjoint, "disjoint"}}};
};
template <>
struct Names<Clipping> {
  static constexpr NameTable<Clipping, 3> all{
      {{Clipping::fixed, "fixed"}, {Clipping::adaptive, "adaptive"}, {Clipping::median, "median"}}};
};
template <>
struct Names<Optimiser> {
  static constexpr NameTable<Optimiser, 3> all{
      {{Optimiser::sgd, "sgd"}, {Optimiser::momentum, "momentum"}, {Optimiser::adam, "adam"}}};
};
}  // namespace dpbudget::fl
