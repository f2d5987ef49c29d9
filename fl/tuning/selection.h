/// @file
/// Which of several combinations of values is taken, by their scores on held-out records.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dpbudget/fl/tuning/folds.h"
#include "dpbudget/mechanisms/random.h"

namespace dpbudget::fl {

/// The scores of one combination, in the order of the folds; nothing where the training diverged.
using FoldScores = std::vector<std::optional<double>>;

/// The mean over the folds; nothing where one diverged.
std::optional<double> mean_score(const FoldScores& scores);

/// The standard deviation of a sample over the folds; nothing where one diverged.
std::optional<double> score_deviation(const FoldScores& scores);

/// The first of those whose mean is best; nothing where all diverged.
/// @param larger_is_better  as accuracy is
std::optional<std::size_t> best_of(const std::vector<FoldScores>& scores, bool larger_is_better);

/// What mean accuracies move by, at most, given all models that were trained.
struct SelectionSensitivity {
  double record;             ///< when one record is replaced
  std::vector<double> user;  ///< when all records of that client are
};

/// Of the mean over the folds of the share of held-out records that a model has right, computed in double.
/// @param is_personal  whether it is that of every client's own model on its own records, and the mean over clients
/// @source fl/tuning/proofs.md, 2.1
SelectionSensitivity selection_sensitivity(const Folds& folds, bool is_personal);

/// The bounded range against a whole client of a choice that has `epsilon` against a record.
/// @source fl/tuning/proofs.md, 2.2
double range_for_user(double epsilon, const SelectionSensitivity& sensitivity, std::uint64_t client);

/// The exponential mechanism: combination c with probability proportional to exp(epsilon mean_c / (2 sensitivity)), by
/// Gumbel noise, drawn in double precision: attacks on its low bits are outside the guarantee. A fold that diverged
/// counts 0.
/// @param scores       accuracies, of at least one combination
/// @param sensitivity  of their means, positive
/// @param epsilon      positive and finite
/// @throws InvalidArgument naming selection_epsilon or a score that is outside [0, 1]
/// @source McSherry, Talwar 2007; as the largest of noisy scores: Durfee, Rogers 2019
std::size_t choose_privately(const std::vector<FoldScores>& scores, double sensitivity, double epsilon,
                             mechanisms::Stream& stream);

}  // namespace dpbudget::fl
