/// @file
/// The Rényi accountant of a sequence.
#pragma once

#include <memory>

#include "dpbudget/accounting/sequence/accountant.h"

namespace dpbudget::sequence {

/// To be asked about no more rounds than there are.
/// @throws as renyi::curve_of for each of the rounds
std::unique_ptr<Accountant> make_renyi(const Sequence& sequence, double delta);

}  // namespace dpbudget::sequence
