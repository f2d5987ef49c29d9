/// @file
/// The loss-distribution accountant of a sequence.
#pragma once

#include <memory>

#include "dpbudget/accounting/sequence/accountant.h"

namespace dpbudget::sequence {

/// To be asked about no more rounds than there are.
/// @param rough_epsilon  of the whole sequence, about: the first mesh follows from it
/// @throws as loss_distribution::RunningAccount
std::unique_ptr<Accountant> make_loss_distribution(Sequence sequence, double delta, double tolerance,
                                                   double rough_epsilon);

}  // namespace dpbudget::sequence
