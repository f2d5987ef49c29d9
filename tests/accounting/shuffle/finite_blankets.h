/// @file
/// ShuffledLaw reports of finite randomisers by the definition alone, and the blanket expression by enumeration.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

#include "dpbudget/accounting/plan/event.h"

namespace dpbudget::testing {

/// probability[x][y] of output y at input x.
using Channel = std::vector<std::vector<long double>>;
using Counts = std::vector<int>;  ///< of outputs

inline Channel response_channel(double local_epsilon, std::size_t categories) {
  const long double odds = std::exp(static_cast<long double>(local_epsilon));
  const long double total = odds + static_cast<long double>(categories) - 1;
  Channel channel(categories, std::vector<long double>(categories, 1 / total));
  for (std::size_t x = 0; x < categories; ++x) channel[x][x] = odds / total;
  return channel;
}

/// Outputs are all sets of `subset` categories, as bits.
inline Channel subset_channel(double local_epsilon, std::size_t categories, int subset) {
  Channel channel(categories);
  for (std::size_t x = 0; x < categories; ++x) {
    long double total = 0;
    for (unsigned y = 0; y < 1U << categories; ++y) {
      if (__builtin_popcount(y) != subset) continue;
      channel[x].push_back((y >> x & 1U) != 0 ? std::exp(static_cast<long double>(local_epsilon)) : 1);
      total += channel[x].back();
    }
    for (long double& p : channel[x]) p /= total;
  }
  return channel;
}

inline Channel rappor_channel(double local_epsilon, std::size_t categories) {
  const long double flip = 1 / (1 + std::exp(static_cast<long double>(local_epsilon) / 2));
  Channel channel(categories);
  for (std::size_t x = 0; x < categories; ++x) {
    for (unsigned y = 0; y < 1U << categories; ++y) {
      const int flipped = __builtin_popcount(y ^ 1U << x);
      channel[x].push_back(std::pow(flip, flipped) * std::pow(1 - flip, static_cast<int>(categories) - flipped));
    }
  }
  return channel;
}

/// Of bits that are set with probability `own` where it is the user's, and else with `other`.
inline Channel bits_channel(long double own, long double other, std::size_t categories) {
  Channel channel(categories);
  for (std::size_t x = 0; x < categories; ++x)
    for (unsigned y = 0; y < 1U << categories; ++y) {
      long double p = 1;
      for (std::size_t bit = 0; bit < categories; ++bit) {
        const long double set = bit == x ? own : other;
        p *= (y >> bit & 1U) != 0 ? set : 1 - set;
      }
      channel[x].push_back(p);
    }
  return channel;
}

inline Channel unary_channel(double local_epsilon, std::size_t categories) {
  return bits_channel(0.5L, 1 / (1 + std::exp(static_cast<long double>(local_epsilon))), categories);
}

/// Columns of Sylvester's matrix, by its recursion.
inline Channel hadamard_channel(double local_epsilon, std::size_t categories) {
  std::vector<std::vector<int>> matrix = {{1}};
  while (matrix.size() <= categories) {
    std::vector<std::vector<int>> larger;
    for (const int sign : {1, -1})
      for (const auto& row : matrix) {
        larger.push_back(row);
        for (const int entry : row) larger.back().push_back(sign * entry);
      }
    matrix = larger;
  }
  Channel channel(categories);
  for (std::size_t x = 0; x < categories; ++x) {
    long double total = 0;
    for (const int entry : matrix[x + 1]) {
      channel[x].push_back(entry == 1 ? std::exp(static_cast<long double>(local_epsilon)) : 1);
      total += channel[x].back();
    }
    for (long double& p : channel[x]) p /= total;
  }
  return channel;
}

/// Of few categories.
inline Channel channel_of(const SubsetSelection& e) {
  const auto size = e.subset != 0 ? static_cast<double>(e.subset)
                                  : std::round(static_cast<double>(e.categories) / (std::exp(e.epsilon.value()) + 1));
  return subset_channel(e.epsilon.value(), e.categories, static_cast<int>(std::max(1.0, size)));
}
inline Channel channel_of(const Rappor& e) { return rappor_channel(e.epsilon.value(), e.categories); }
inline Channel channel_of(const UnaryEncoding& e) { return unary_channel(e.epsilon.value(), e.categories); }
inline Channel channel_of(const HadamardResponse& e) { return hadamard_channel(e.epsilon.value(), e.categories); }

/// Laplace noise on a grid of inputs in [0, 1], reported only as the interval between neighbouring `cuts`.
inline Channel cut_laplace_channel(double local_epsilon, const std::vector<double>& inputs,
                                   const std::vector<double>& cuts) {
  const auto below = [&](double x, double y) -> long double {
    const long double distance = static_cast<long double>(local_epsilon) * (y - x);
    return distance < 0 ? std::exp(distance) / 2 : 1 - std::exp(-distance) / 2;
  };
  Channel channel;
  for (const double x : inputs) {
    std::vector<long double> row;
    long double last = 0;
    for (const double cut : cuts) {
      row.push_back(below(x, cut) - last);
      last = below(x, cut);
    }
    row.push_back(1 - last);
    channel.push_back(row);
  }
  return channel;
}

using ShuffledLaw = std::map<Counts, long double>;

inline ShuffledLaw with_report(const ShuffledLaw& others, const std::vector<long double>& report) {
  ShuffledLaw sum;
  for (const auto& [counts, probability] : others) {
    Counts next = counts;
    for (std::size_t y = 0; y < report.size(); ++y) {
      ++next[y];
      sum[next] += probability * report[y];
      --next[y];
    }
  }
  return sum;
}

inline long double delta_between(const ShuffledLaw& one, const ShuffledLaw& other, double epsilon) {
  long double delta = 0;
  for (const auto& [counts, probability] : one)
    delta += std::max(0.0L, probability - std::exp(static_cast<long double>(epsilon)) * other.at(counts));
  return delta;
}

/// The largest delta over all inputs of the other users and all pairs of the one who differs.
inline long double shuffled_delta(const Channel& channel, int reports, double epsilon, std::size_t least_input = 0,
                                  const ShuffledLaw& others = {}) {
  const ShuffledLaw sofar = others.empty() ? ShuffledLaw{{Counts(channel[0].size()), 1}} : others;
  long double worst = 0;
  if (reports > 1) {
    for (std::size_t z = least_input; z < channel.size(); ++z)
      worst = std::max(worst, shuffled_delta(channel, reports - 1, epsilon, z, with_report(sofar, channel[z])));
    return worst;
  }
  std::vector<ShuffledLaw> all;
  all.reserve(channel.size());
  for (const auto& report : channel) all.push_back(with_report(sofar, report));
  for (const ShuffledLaw& one : all)
    for (const ShuffledLaw& other : all) worst = std::max(worst, delta_between(one, other, epsilon));
  return worst;
}

/// Lemma 5.3's expression for inputs x and other, all outputs of the blanket one by one.
inline long double blanket_expression(const Channel& channel, std::size_t x, std::size_t other, int reports,
                                      double epsilon) {
  struct Share {
    long double value;
    long double mass;
  };
  std::vector<Share> shares;
  long double rest = 1;
  for (std::size_t y = 0; y < channel[0].size(); ++y) {
    long double least = 1;
    for (const auto& report : channel) least = std::min(least, report[y]);
    rest -= least;
    shares.push_back(
        {(channel[x][y] - std::exp(static_cast<long double>(epsilon)) * channel[other][y]) / least, least});
  }
  shares.push_back({0, rest});
  const auto sum_over = [&](const auto& self, std::size_t next, int left, long double weight,
                            long double sum) -> long double {
    if (next + 1 == shares.size())
      return weight * std::pow(shares[next].mass, left) * std::max(0.0L, sum + left * shares[next].value);
    long double total = 0;
    for (int count = 0; count <= left; ++count) {
      total += self(self, next + 1, left - count, weight, sum + count * shares[next].value);
      weight *= shares[next].mass * (left - count) / (count + 1);
    }
    return total;
  };
  return sum_over(sum_over, 0, reports, 1, 0) / reports;
}

inline long double worst_blanket_expression(const Channel& channel, int reports, double epsilon) {
  long double worst = 0;
  for (std::size_t x = 0; x < channel.size(); ++x)
    for (std::size_t other = 0; other < channel.size(); ++other)
      worst = std::max(worst, blanket_expression(channel, x, other, reports, epsilon));
  return worst;
}

}  // namespace dpbudget::testing
