#include "dpbudget/accounting/tradeoff/piecewise_linear.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/tradeoff/ranges.h"

namespace dpbudget::tradeoff {
namespace {

// By how much probabilities may miss a sum of 1, and vertices an axiom, through the rounding of whoever made them.
constexpr double rounding = 1e-9;

double slope(const Outcome& outcome) { return outcome.p == 0 ? infinity : outcome.q / outcome.p; }

// Points of a convex minorant, from left to right, by Andrew's monotone chain.
std::vector<Vertex> lower_hull(std::vector<Vertex> points) {
  std::ranges::sort(points, [](const Vertex& a, const Vertex& b) {
    return a.type_one_error != b.type_one_error ? a.type_one_error < b.type_one_error
                                                : a.type_two_error < b.type_two_error;
  });
  std::vector<Vertex> hull;
  for (const Vertex& next : points) {
    const auto turns_left = [&] {
      const Vertex& a = hull[hull.size() - 2];
      const Vertex& b = hull.back();
      return (b.type_one_error - a.type_one_error) * (next.type_two_error - a.type_two_error) >
             (b.type_two_error - a.type_two_error) * (next.type_one_error - a.type_one_error);
    };
    if (!hull.empty() && hull.back().type_one_error == next.type_one_error) continue;  // the lower one came first
    while (hull.size() >= 2 && !turns_left()) hull.pop_back();
    hull.push_back(next);
  }
  return hull;
}

[[noreturn]] void refuse(const Vertex& at, std::string_view axiom) {
  throw InvalidArgument(fmt::format("vertex ({}, {}) makes no trade-off function, which must be {}", at.type_one_error,
                                    at.type_two_error, axiom));
}

// @param vertical  1 - f(0), which keeps its digits only apart
std::vector<Outcome> outcomes_between(const std::vector<Vertex>& vertices, double vertical) {
  std::vector<Outcome> outcomes{{0, vertical}};
  for (std::size_t i = 1; i < vertices.size(); ++i)
    outcomes.push_back({vertices[i].type_one_error - vertices[i - 1].type_one_error,
                        vertices[i - 1].type_two_error - vertices[i].type_two_error});
  return outcomes;
}

// What the factors' sums miss 1 by must not add up.
std::vector<Outcome> scaled(std::vector<Outcome> outcomes) {
  double p = 0;
  double q = 0;
  for (const Outcome& outcome : outcomes) {
    p += outcome.p;
    q += outcome.q;
  }
  for (Outcome& outcome : outcomes) outcome = {std::min(1.0, outcome.p / p), std::min(1.0, outcome.q / q)};
  return outcomes;
}

}  // namespace

PiecewiseLinear::PiecewiseLinear(std::vector<Outcome> sorted) : outcomes_(std::move(sorted)) {
  // All that gives the record away is one vertical line, the first.
  double vertical = 0;
  for (const Outcome& outcome : outcomes_) vertical += outcome.p == 0 ? outcome.q : 0;
  std::erase_if(outcomes_, [](const Outcome& outcome) { return outcome.p == 0; });
  std::ranges::stable_sort(outcomes_, [](const Outcome& a, const Outcome& b) { return slope(a) > slope(b); });
  if (vertical > 0) outcomes_.insert(outcomes_.begin(), {0, vertical});
  // Sums of positive terms from either end keep their digits.
  const bool is_vertical = !outcomes_.empty() && outcomes_.front().p == 0;
  double power = is_vertical ? outcomes_.front().q : 0;
  vertices_.push_back({0, 0});
  powers_.push_back(power);
  double error = 0;
  for (std::size_t i = is_vertical ? 1 : 0; i < outcomes_.size(); ++i) {
    vertices_.push_back({std::min(1.0, error += outcomes_[i].p), 0});
    powers_.push_back(std::min(1.0, power += outcomes_[i].q));
  }
  vertices_.back().type_one_error = 1;
  powers_.back() = 1;
  double type_two = 0;
  for (std::size_t i = vertices_.size(), j = outcomes_.size(); i-- > 1;) {
    vertices_[i].type_two_error = std::min(1.0, type_two);
    type_two += outcomes_[--j].q;
  }
  vertices_.front().type_two_error = is_vertical ? std::min(1.0, type_two) : 1;
  type_two_errors_.reserve(vertices_.size());
  for (const Vertex& vertex : vertices_) type_two_errors_.push_back(vertex.type_two_error);
}

// accounting/tradeoff/proofs.md, 1.5
PiecewiseLinearPtr PiecewiseLinear::from_outcomes(std::vector<Outcome> outcomes) {
  double p = 0;
  double q = 0;
  for (const Outcome& outcome : outcomes) {
    require(0 <= outcome.p && outcome.p <= 1, "p", outcome.p, "in [0, 1]");
    require(0 <= outcome.q && outcome.q <= 1, "q", outcome.q, "in [0, 1]");
    p += outcome.p;
    q += outcome.q;
  }
  require(std::abs(p - 1) <= rounding, "the sum of p", p, "1");
  require(std::abs(q - 1) <= rounding, "the sum of q", q, "1");
  return std::shared_ptr<const PiecewiseLinear>(new PiecewiseLinear(std::move(outcomes)));
}

// accounting/tradeoff/proofs.md, 1.1
PiecewiseLinearPtr PiecewiseLinear::from_vertices(const std::vector<Vertex>& vertices) {
  require(vertices.size() >= 2, "the number of vertices", vertices.size(), "at least 2");
  for (const Vertex& vertex : vertices) {
    require(0 <= vertex.type_one_error && vertex.type_one_error <= 1, "type_one_error", vertex.type_one_error,
            "in [0, 1]");
    require(0 <= vertex.type_two_error && vertex.type_two_error <= 1, "type_two_error", vertex.type_two_error,
            "in [0, 1]");
    if (vertex.type_two_error > 1 - vertex.type_one_error + rounding) refuse(vertex, "at most 1 - type_one_error");
  }
  if (vertices.front().type_one_error != 0) refuse(vertices.front(), "given from type_one_error 0 on");
  if (vertices.back().type_one_error != 1) refuse(vertices.back(), "given up to type_one_error 1");
  if (vertices.back().type_two_error > rounding * 1e-3) refuse(vertices.back(), "0 at type_one_error 1");
  const std::vector<Outcome> outcomes = outcomes_between(vertices, 1 - vertices.front().type_two_error);
  for (std::size_t i = 1; i < outcomes.size(); ++i) {
    if (!(outcomes[i].p > 0)) refuse(vertices[i], "given at increasing type_one_error, for it is continuous");
    if (!(outcomes[i].q >= 0)) refuse(vertices[i], "non-increasing");
    // The differences of vertices are off by 2^-53 each.
    const double slack = 0x1p-50 * (outcomes[i].p + outcomes[i].q + outcomes[i - 1].p + outcomes[i - 1].q);
    if (i > 1 && outcomes[i].q * outcomes[i - 1].p > outcomes[i - 1].q * outcomes[i].p + slack)
      refuse(vertices[i - 1], "convex");
  }
  return from_outcomes(outcomes);
}

// accounting/tradeoff/proofs.md, 1.6
PiecewiseLinearPtr PiecewiseLinear::from_profile(const std::function<double(double)>& log_delta,
                                                 const std::vector<double>& epsilons) {
  require(!epsilons.empty(), "the number of epsilons", epsilons.size(), "at least 1");
  // Tangents 1 - delta - e^epsilon a, and their mirror images e^-epsilon (1 - delta - a): the vertices are where the
  // best two meet.
  struct Line {
    double height;
    double slope;
  };
  std::vector<Line> lines;
  lines.reserve(2 * epsilons.size() + 1);
  double last = -1;
  for (const double epsilon : epsilons) {
    require(last < epsilon && 0 <= epsilon && epsilon <= 700, "epsilons", epsilon, "in [0, 700] and increasing");
    last = epsilon;
    const double rest = -std::expm1(std::min(0.0, log_delta(epsilon)));
    lines.push_back({rest, std::exp(epsilon)});
    lines.push_back({std::exp(-epsilon) * rest, std::exp(-epsilon)});
  }
  lines.push_back({0, 0});
  std::ranges::sort(
      lines, [](const Line& a, const Line& b) { return a.slope != b.slope ? a.slope > b.slope : a.height > b.height; });
  // Upper envelope of lines of falling steepness, which are best from left to right.
  const auto meeting = [](const Line& steep, const Line& flat) {
    return (steep.height - flat.height) / (steep.slope - flat.slope);
  };
  std::vector<Line> best;
  for (const Line& line : lines) {
    if (!best.empty() && best.back().slope == line.slope) continue;
    while (!best.empty() &&
           (meeting(best.back(), line) <= 0 ||
            (best.size() >= 2 && meeting(best.back(), line) <= meeting(best[best.size() - 2], best.back()))))
      best.pop_back();
    best.push_back(line);
  }
  std::vector<Vertex> vertices{{0, std::clamp(best.front().height, 0.0, 1.0)}};
  for (std::size_t i = 1; i < best.size(); ++i) {
    const double a = meeting(best[i - 1], best[i]);
    if (a >= 1) break;
    vertices.push_back({a, std::max(0.0, best[i].height - best[i].slope * a)});
  }
  vertices.push_back({1, 0});
  double least = 1;
  for (const double epsilon : epsilons) least = std::min(least, std::exp(log_delta(epsilon)));
  return from_outcomes(outcomes_between(lower_hull(std::move(vertices)), least));
}

double PiecewiseLinear::at(double type_one_error, const std::vector<double>& heights) const {
  ranges::type_one_error(type_one_error);
  const auto right = std::ranges::upper_bound(vertices_, type_one_error, {}, &Vertex::type_one_error);
  if (right == vertices_.end()) return heights.back();
  const auto i = static_cast<std::size_t>(right - vertices_.begin());
  const double width = vertices_[i].type_one_error - vertices_[i - 1].type_one_error;
  const double share = (type_one_error - vertices_[i - 1].type_one_error) / width;
  return std::lerp(heights[i - 1], heights[i], share);
}

double PiecewiseLinear::type_two_error(double type_one_error) const { return at(type_one_error, type_two_errors_); }

double PiecewiseLinear::power(double type_one_error) const { return at(type_one_error, powers_); }

double PiecewiseLinear::log_delta(double epsilon) const {
  require(std::isfinite(epsilon), "epsilon", epsilon, "finite");
  double delta = 0;
  for (const Outcome& outcome : outcomes_) {
    const double loss = std::log(slope(outcome));
    if (!(loss > epsilon)) break;
    delta += outcome.q * (outcome.p == 0 ? 1 : -std::expm1(epsilon - loss));
  }
  return std::log(std::min(1.0, delta));
}

bool PiecewiseLinear::is_symmetric() const {
  const PiecewiseLinearPtr other = inverse(*this);
  return std::ranges::all_of(vertices_, [&](const Vertex& vertex) {
    return std::abs(other->type_two_error(vertex.type_one_error) - vertex.type_two_error) <= rounding;
  });
}

loss_distribution::Pieces PiecewiseLinear::losses(const loss_distribution::Cut& /*cut*/,
                                                  loss_distribution::Side /*side*/) const {
  loss_distribution::Pieces result;
  double farthest = 0;
  for (std::size_t i = outcomes_.size(); i-- > 0;) {  // increasing losses log(q/p)
    const auto& [p, q] = outcomes_[i];
    if (p == 0) {
      result.p_at_infinity += q;
    } else if (q == 0) {
      result.q_at_infinity += p;
    } else {
      // The quotient may leave the range of a double. Rounding must not put losses out of order.
      const double least = result.pieces.empty() ? -infinity : result.pieces.back().low;
      const double loss = std::max(least, std::log(q) - std::log(p));
      result.pieces.push_back({loss, loss, q, p, loss});
      farthest = std::max({farthest, std::abs(std::log(q)), std::abs(std::log(p))});
    }
  }
  result.errors.loss = result.errors.barycentre = numeric::unit * (1 + farthest);
  return result;
}

// accounting/tradeoff/proofs.md, 1.4
PiecewiseLinearPtr inverse(const PiecewiseLinear& f) {
  std::vector<Outcome> exchanged;
  exchanged.reserve(f.outcomes().size());
  for (const auto& [p, q] : f.outcomes()) exchanged.push_back({q, p});
  return PiecewiseLinear::from_outcomes(std::move(exchanged));
}

PiecewiseLinearPtr symmetrised(const PiecewiseLinear& f) {
  std::vector<Vertex> vertices = f.vertices();
  const PiecewiseLinearPtr other = inverse(f);
  vertices.insert(vertices.end(), other->vertices().begin(), other->vertices().end());
  return PiecewiseLinear::from_outcomes(
      outcomes_between(lower_hull(std::move(vertices)), std::max(f.power(0), other->power(0))));
}

PiecewiseLinearPtr mixed_with_identity(const PiecewiseLinear& f, double rate) {
  ranges::rate(rate);
  std::vector<Outcome> mixed;
  mixed.reserve(f.outcomes().size());
  for (const auto& [p, q] : f.outcomes()) mixed.push_back({p, rate * q + (1 - rate) * p});
  return PiecewiseLinear::from_outcomes(std::move(mixed));
}

PiecewiseLinearPtr maximum(const PiecewiseLinear& f, const PiecewiseLinear& g) {
  std::vector<double> at;
  for (const PiecewiseLinear* function : {&f, &g})
    for (const Vertex& vertex : function->vertices()) at.push_back(vertex.type_one_error);
  std::ranges::sort(at);
  const auto repeated = std::ranges::unique(at);
  at.erase(repeated.begin(), repeated.end());
  std::vector<Vertex> vertices;
  const auto add = [&](double a) { vertices.push_back({a, std::max(f.type_two_error(a), g.type_two_error(a))}); };
  for (std::size_t i = 0; i < at.size(); ++i) {
    if (i > 0) {
      // Both are straight between two such points, and may cross once.
      const double before = f.type_two_error(at[i - 1]) - g.type_two_error(at[i - 1]);
      const double after = f.type_two_error(at[i]) - g.type_two_error(at[i]);
      if ((before < 0 && after > 0) || (before > 0 && after < 0))
        add(std::lerp(at[i - 1], at[i], before / (before - after)));
    }
    add(at[i]);
  }
  return PiecewiseLinear::from_outcomes(
      outcomes_between(lower_hull(std::move(vertices)), std::min(f.power(0), g.power(0))));
}

PiecewiseLinearPtr tensor(const PiecewiseLinear& f, const PiecewiseLinear& g) {
  const std::size_t count = f.outcomes().size() * g.outcomes().size();
  if (count > std::size_t{1} << 22)
    throw Unsupported(fmt::format("the product of trade-off functions has {} outcomes; the most is 2^22", count));
  std::vector<Outcome> products;
  products.reserve(count);
  for (const Outcome& a : f.outcomes())
    for (const Outcome& b : g.outcomes()) products.push_back({a.p * b.p, a.q * b.q});
  return PiecewiseLinear::from_outcomes(scaled(std::move(products)));
}

}  // namespace dpbudget::tradeoff
