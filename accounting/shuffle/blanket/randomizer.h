/// @file
/// Local randomisers as the privacy blanket sees them: what all of their outputs have in common, and two that differ.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace dpbudget::shuffle {

/// Logarithms of R_x / b and R_x' / b, b the common part: finite, and at least 0 where b is the infimum over all
/// inputs.
struct LogRatios {
  double first;
  double second;
};

/// Outputs over which R_x / b - e^epsilon R_x' / b is monotone, for every epsilon, between the ratios at its two ends.
struct Cell {
  double mass;  ///< under b
  LogRatios from;
  LogRatios mean;  ///< of the cell as a whole: log(R_x(cell) / mass) and log(R_x'(cell) / mass)
  LogRatios to;
};

/// A part of the outputs with a density, which can be cut anywhere.
struct Stretch {
  double from;
  double to;
  std::function<Cell(double, double)> cell;  ///< the outputs between two points, from the lower to the higher
};

/// A pair of inputs x, x', and a part b of the outputs with b <= R_z for every input z.
/// @source accounting/shuffle/blanket/proofs.md, 1.2 and 1.3
struct BlanketPair {
  double rest;  ///< 1 - b(all outputs), the chance that a report is not from the blanket
  std::vector<Cell> atoms;
  std::vector<Stretch> stretches;
  double left_out = 0;          ///< upper bound on the mass of (R_x - R_x')_+ on outputs that are in none of these
  double left_out_blanket = 0;  ///< their mass under b
  double mass_error = 0x1p-47;  ///< relative error of the masses and of `rest`
  double mean_error = 0;        ///< absolute error of the logarithms in Cell::mean; those of the ends are exact
};

/// Pairs of inputs that are too close to each other for the argument that finds the worst pair: log delta of any of
/// them is at most the lesser of what one report tells and of what `pair`, which need not be one of inputs, would tell
/// at another epsilon, plus the difference of the epsilons (accounting/shuffle/blanket/proofs.md, 6.1).
struct ClosePairs {
  std::function<double(double)> local_log_delta;  ///< at an epsilon
  BlanketPair pair;
  double pair_epsilon;
};

/// A local randomiser. Its worst pair of inputs, whatever the number of reports and epsilon, is one of `pairs` or of
/// `close_pairs`. In a witness b = R_z, what all other users report by: its expression is the exact delta of two
/// neighbouring data sets, hence a lower bound on the randomiser's (accounting/shuffle/blanket/proofs.md, 1.4
/// and 2.1).
struct Randomizer {
  std::string theorem;
  std::vector<BlanketPair> pairs;
  std::vector<BlanketPair> witnesses{};
  std::vector<ClosePairs> close_pairs{};
  std::string unproven{};  ///< what is not known of the pairs; empty where they are proven to include the worst
};

/// k-ary randomised response: the true category with odds e^local_epsilon against each other one.
/// @param local_epsilon  in [1e-6, 20]
/// @param categories     k, in [2, 2^53]
/// @throws InvalidArgument naming the argument outside its range
Randomizer randomized_response(double local_epsilon, std::uint64_t categories);

/// Subset selection: a set y of d out of k categories, P(y | x) proportional to e^local_epsilon if x is in y and to 1
/// otherwise.
/// @param local_epsilon  in [1e-6, 20]
/// @param categories     k, in [2, 2^53]
/// @param subset         d, in [1, k - 1]
/// @throws InvalidArgument naming the argument outside its range
/// @source Ye, Barg 2018
Randomizer subset_selection(double local_epsilon, std::uint64_t categories, std::uint64_t subset);

/// One-time basic RAPPOR: the category as k bits, one of them set; each bit is flipped with probability
/// 1 / (1 + e^(local_epsilon / 2)).
/// @param local_epsilon  in [1e-6, 20]
/// @param categories     k, in [2, 2^53]
/// @throws InvalidArgument naming the argument outside its range
/// @source Erlingsson, Pihur, Korolova 2014
Randomizer rappor(double local_epsilon, std::uint64_t categories);

/// Optimised unary encoding: the category as k bits; that of the category is set with probability 1/2, every other one
/// with probability 1 / (1 + e^local_epsilon).
/// @param local_epsilon  in [1e-6, 20]
/// @param categories     k, in [2, 2^53]
/// @throws InvalidArgument naming the argument outside its range
/// @source Wang, Blocki, Li, Jha 2017
Randomizer unary_encoding(double local_epsilon, std::uint64_t categories);

/// Hadamard response, of one block: a column of Sylvester's matrix of the least order K above k, P(y | x) proportional
/// to e^local_epsilon if row x + 1 has a 1 there and to 1 otherwise.
/// @param local_epsilon  in [1e-6, 20]
/// @param categories     k, in [2, 2^53]
/// @throws InvalidArgument naming the argument outside its range
/// @source Acharya, Sun, Zhang 2019
Randomizer hadamard_response(double local_epsilon, std::uint64_t categories);

/// x + Laplace noise of scale 1 / local_epsilon, x in [0, 1]. The worst inputs are 0 and 1.
/// @param local_epsilon  in [1e-6, 20]
/// @throws InvalidArgument naming the argument outside its range
Randomizer laplace(double local_epsilon);

}  // namespace dpbudget::shuffle
