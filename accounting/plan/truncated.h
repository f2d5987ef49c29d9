/// @file
/// Poisson samples of limited size, by whether the other records fill the batch.
#pragma once

#include <optional>
#include <string_view>

#include "dpbudget/accounting/plan/adjacency.h"
#include "dpbudget/accounting/plan/event.h"
#include "dpbudget/accounting/plan/gaussian_noise.h"

namespace dpbudget {

/// Of the larger one of two neighbouring data sets: whether so many of the other records are drawn that they fill the
/// batch by themselves, and how often the record is in it then.
/// @source accounting/plan/proofs.md, 5.1
struct TruncatedSample {
  double filled;       ///< the probability that they do
  double unfilled;     ///< that they do not
  double error;        ///< relative, of both
  double rate;         ///< the record's, where they do not, rounded up
  double rate_filled;  ///< the record's, where they do, rounded up: it then takes the place of another
};

/// @param event  in normal form: fewer places than records, and a rate above 0
TruncatedSample truncated_sample(const TruncatedPoisson& event);

/// The probability that the record is in the batch at all, rounded to the side asked for.
double rate_of_record(const TruncatedPoisson& event, Rounding rounding);

/// @param accountant  who asks
/// @throws Unsupported naming `event` and why, unless batches of limited size are analysed under the adjacency and
///         around what is inside
void require_truncation_theorem(const TruncatedPoisson& event, Adjacency adjacency, std::string_view accountant);

/// What a batch that is filled by others releases, where the record takes the place of another.
/// @throws Unsupported naming `event`
Event for_replaced(const TruncatedPoisson& event, Adjacency adjacency, std::string_view accountant);

}  // namespace dpbudget
