/// @file
/// Rényi DP of randomised response, and of every mechanism that is epsilon-DP.
#pragma once

#include <cstdint>

#include "dpbudget/accounting/plan/told_response.h"
#include "dpbudget/accounting/renyi/curve.h"

namespace dpbudget::renyi {

/// The largest Rényi divergence that epsilon-DP allows; binary randomised response attains it. Any adjacency.
/// @param order    in [1, inf]
/// @param epsilon  in [0, inf)
/// @return nats, relative error below 1e-13
/// @throws InvalidArgument naming the argument outside its range
/// @source Bun, Steinke 2016 (arXiv:1605.02065), Lemma B.1; as a product of hyperbolic sines, which loses no digits
double pure(double order, double epsilon);

/// Binary randomised response that tells the truth with probability `truth_probability`. Any adjacency.
/// @param order              in [1, inf]
/// @param truth_probability  in (0, 1)
/// @return nats, relative error below 1e-13, next to probability 1/2 too
/// @throws InvalidArgument naming the argument outside its range
/// @source Mironov 2017 (arXiv:1702.07476), Proposition 5
double randomized_response(double order, double truth_probability);

/// @param epsilon  in [0, inf)
CurvePtr pure_curve(double epsilon);

/// What bounded range epsilon allows: the least of `pure_curve` and order epsilon^2 / 8.
/// @param epsilon  in [0, inf)
/// @source Cesar, Rogers 2021; accounting/renyi/proofs.md, 8.1
CurvePtr bounded_range_curve(double epsilon);

/// Randomised response over `categories` values. Against the pair of true values only those two outputs tell anything,
/// and given that one of them is reported the mechanism is the binary one.
/// @param epsilon     in [0, inf)
/// @param categories  in [2, 2^53]
CurvePtr randomized_response_curve(double epsilon, std::uint64_t categories);

/// A response that is told with some probability, and that probability's share of the moment.
CurvePtr told_response_curve(const ToldResponse& response);

/// Poisson sampling at rate `sampling_rate` in front of `randomized_response_curve`, exactly, the larger of its two
/// directions. With two categories it bounds every Poisson-sampled epsilon-DP mechanism, because subsampling keeps
/// domination.
/// Adjacency: add_or_remove_one and zero_out_one.
/// @param sampling_rate  in [0, 1]
/// @source Zhu, Dong, Wang 2022 (arXiv:2106.08567), Theorem 11; Kairouz, Oh, Viswanath 2015 for the dominating pair
CurvePtr poisson_randomized_response_curve(double sampling_rate, double epsilon, std::uint64_t categories);
/// The same of a response that tells with a probability.
CurvePtr poisson_told_response_curve(double sampling_rate, const ToldResponse& response);

}  // namespace dpbudget::renyi
