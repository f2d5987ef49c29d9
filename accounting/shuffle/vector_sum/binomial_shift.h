/// @file
/// The privacy of binomial noise on a count.
#pragma once

namespace dpbudget::shuffle {

/// log of the exact delta of Bin(trials, probability) against shift + Bin(trials, probability), the larger of both
/// directions: sum over j of (P(j) - e^epsilon P(j + shift))_+ for the number of successes and for that of failures.
/// All terms are positive; their number starts at a threshold, since P(j + shift) / P(j) falls.
///
/// Adjacency: any; `shift` is the sensitivity of the count under it.
/// @param trials       an integer in [1, 2^53]
/// @param probability  in (0, 1)
/// @param shift        an integer in [0, 2^53]
/// @param epsilon      in [0, inf)
/// @return relative error of delta below 1e-12 + 1e-13 |result|, where the standard deviation is below 1e4 shift, else
///         below 1e-9; -infinity for shift 0, 0 for a shift above `trials`
/// @throws InvalidArgument naming the argument outside its range
/// @source Cheu, Joseph, Mao, Peng 2021 (arXiv:2106.09805), for the mechanism
double binomial_shift_log_delta(double trials, double probability, double shift, double epsilon);

/// The same delta itself; 0 below the range of a double.
double binomial_shift_delta(double trials, double probability, double shift, double epsilon);

}  // namespace dpbudget::shuffle
