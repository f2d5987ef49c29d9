/// @file
/// The privacy figures of Noble, Bellet and Dieuleveut (2022) as their own program computes them: estimates, because
/// two of their steps have no proof.
#pragma once

#include <cstdint>

namespace dpbudget::fl {

/// What the paper prints for one run.
struct PublishedClaim {
  double epsilon;
  double order;  ///< the integer order that gave it; 0 when epsilon is infinite at every order
};

/// epsilon towards a third party after `rounds` rounds, as published. An ESTIMATE:
/// - sampling users is applied as if records were sampled, but whether a user takes part changes all of its records;
/// - for several local steps the noise of all users together is counted from the first step on, although a user's next
///   step depends on its own noise alone.
///
/// Two stages of Wang, Balle and Kasiviswanathan's Theorem 9 (uncapped) over the Gaussian of noise
/// noise_multiplier sqrt(user_rate users), integer orders only, converted by Mironov's Proposition 3.
/// @param rounds, local_steps, users  T, K, M; at least 1
/// @param user_rate, record_rate      l, s; in (0, 1]
/// @param noise_multiplier            sigma_g; in (0, inf)
/// @param delta                       in (0, 1)
/// @param max_order                   orders 2 to max_order are tried; in [2, 1000]
/// @throws InvalidArgument naming the argument outside its range
/// @source Noble et al. 2022 (arXiv:2111.09278), appendix B.4 "Implementation" and their get_epsilon_bound.py
PublishedClaim noble_third_party_epsilon_as_published(double rounds, double local_steps, double users, double user_rate,
                                                      double record_rate, double noise_multiplier, double delta,
                                                      int max_order = 100);

/// The figure as the paper's captions print it. Having found the best integer order a, the authors' program looks again
/// at 1000 evenly spaced orders from a - 1 + 1e-4 to a + 1, between which cumulants are interpolated; they miss a
/// itself, so the figure is a little larger. Arguments and errors as above.
double noble_third_party_epsilon_as_printed(double rounds, double local_steps, double users, double user_rate,
                                            double record_rate, double noise_multiplier, double delta,
                                            int max_order = 100);

/// The largest number of rounds for which the first figure is at most `epsilon`: the paper's Tables 1 and 4. An
/// ESTIMATE.
/// @param epsilon  in [0, inf)
/// Other arguments and errors as above.
std::uint64_t noble_third_party_rounds_as_published(double epsilon, double local_steps, double users, double user_rate,
                                                    double record_rate, double noise_multiplier, double delta,
                                                    int max_order = 100);

/// What the aggregation and the sampling of users are taken to add.
enum class NobleView { third_party, server };

/// The figure of appendix B.4 "without approximation": with eps_a(a, d') = K eps''(a) + log(1/d') / (a - 1), eps''
/// Theorem 9 interpolated between integer orders, and eps* = log(1 + l (e^eps_a - 1)),
///
///     min over a > 1, x in (0, 1) of eps* sqrt(2 T log(1 / ((1 - x) delta))) + T eps* (e^eps* - 1),
///
/// where d' = x delta / (T l); the noise is noise_multiplier sqrt(l M). An ESTIMATE, for the reasons above. Towards the
/// server, which the appendix says loses both, eps* = eps_a, d' = x delta / T and the noise is noise_multiplier:
/// proven, since it composes the sampled releases of a user that takes part in every round.
/// @return `order` is a
/// Arguments and errors as above.
PublishedClaim noble_epsilon_without_approximation(NobleView view, double rounds, double local_steps, double users,
                                                   double user_rate, double record_rate, double noise_multiplier,
                                                   double delta, int max_order = 100);

}  // namespace dpbudget::fl
