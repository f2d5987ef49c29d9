/// @file
/// The named choices of a run.
#pragma once

#include "dpbudget/accounting/base/names.h"

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

/// Which records a step sees: a fresh random batch, the client's next ones, each used once in the whole run, a fresh
/// batch that may hold a record several times, or the next batch of a random order that is drawn in each round, and
/// again in it whenever no whole batch of it is left.
enum class Batches { fresh, disjoint, with_replacement, shuffled };

}  // namespace dpbudget::fl

namespace dpbudget {

template <>
struct Names<fl::Unit> {
  static constexpr NameTable<fl::Unit, 2> all{{{fl::Unit::record, "record"}, {fl::Unit::user, "user"}}};
};

template <>
struct Names<fl::ClientSampling> {
  static constexpr NameTable<fl::ClientSampling, 4> all{{{fl::ClientSampling::uniform, "uniform"},
                                                         {fl::ClientSampling::poisson, "poisson"},
                                                         {fl::ClientSampling::md, "md"},
                                                         {fl::ClientSampling::fedavg, "fedavg"}}};
};

template <>
struct Names<fl::Weights> {
  static constexpr NameTable<fl::Weights, 2> all{{{fl::Weights::equal, "equal"}, {fl::Weights::records, "records"}}};
};

template <>
struct Names<fl::Batches> {
  static constexpr NameTable<fl::Batches, 4> all{{{fl::Batches::fresh, "fresh"},
                                                  {fl::Batches::disjoint, "disjoint"},
                                                  {fl::Batches::with_replacement, "with_replacement"},
                                                  {fl::Batches::shuffled, "shuffled"}}};
};

}  // namespace dpbudget
