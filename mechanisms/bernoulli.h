/// @file
/// Coin tosses whose probability is exactly the double that is given.
#pragma once

#include <cstdint>

#include "dpbudget/mechanisms/random.h"

namespace dpbudget::mechanisms {

/// @param probability  in [0, 1]
/// @return true with exactly this probability: a uniform number is compared with it digit by digit, so that a
///         probability of 1e-300 is as exact as one of 1/2. Takes one word of the stream, seldom more
/// @throws InvalidArgument naming probability, before anything is drawn
bool bernoulli(double probability, Stream& stream);

/// @param odds  in [0, inf)
/// @return true with probability odds / (1 + odds). Rounding moves the logarithm of the odds by at most 2^-51, for odds
///         from 1e-300
/// @throws InvalidArgument naming odds, before anything is drawn
bool bernoulli_of_odds(double odds, Stream& stream);

/// @param trials       any; takes about trials / 32 words of the stream
/// @param probability  in [0, 1]
/// @return the number of successes among independent trials of exactly this probability
/// @throws InvalidArgument naming probability, before anything is drawn
std::uint64_t binomial(std::uint64_t trials, double probability, Stream& stream);

}  // namespace dpbudget::mechanisms
