#include "dpbudget/accounting/contour/inversion.h"

#include <algorithm>
#include <boost/math/tools/roots.hpp>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/interruption.h"
#include "dpbudget/accounting/base/to_integer.h"
#include "dpbudget/accounting/contour/composition.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::contour {
namespace {

using numeric::unit;

constexpr double pi = std::numbers::pi;

// Aliases and tail are made smaller than e^-precision of delta.
constexpr double precision = 28;
// How much larger than at the saddle the integrand may be where it is summed, as a logarithm.
constexpr double most_cancelled = 3;
// How many exponentials a contour may take, of one kind of release.
constexpr double most_work = 1 << 22;
// From how many times as large as wished for on a tail is seen in the answer.
constexpr double noticeable_tail = 1e4;
// A sum that was cut short is tried with so many times as many nodes, of which it may skip most.
constexpr double room_of_skipped = 16;
// How many take about a millisecond.
constexpr double quick_work = 1 << 18;
// What it is taken to be enough for where even the first node was too far from the last.
constexpr double unknown_share = 0.125;
// That take a few milliseconds together.
constexpr std::size_t nodes_unasked = 1024;
// Of a node in its sum and the searches that follow, beside its own exponentials.
constexpr double cost_of_node = 24;
constexpr double most_smoothed_nodes = 1 << 25;
// Smoothing that is raised lets more of the nodes be reached, by this factor at least.
constexpr double longer = 1.1;
// Steps towards how many nodes would have been reached had there been no more: near is enough for a guess.
constexpr int most_corrections = 8;
// A smoothed sum of which even so many nodes would take too long, or all where they are fewer, is not begun: few skip
// nearly all.
constexpr double fewest_smoothed_nodes = 32;

// An anchor that has no moment is moved nearer by this factor, so often.
constexpr double nearer = 0.7;
constexpr int most_nearer = 8;

// Of f(1), f(r), f(r^2), ..., the one before `cost` stops falling by 1 % or more, for r = 0.7 or, where that does not
// fall at all, 1/r.
template <class F, class Cost>
auto nearest(F&& f, Cost&& cost) {
  auto best = f(1.0);
  for (const double ratio : {0.7, 1 / 0.7}) {
    double by = 1;
    bool has_moved = false;
    while (true) {
      by *= ratio;
      const auto next = f(by);
      if (!(cost(next) < 0.99 * cost(best))) break;
      best = next;
      has_moved = true;
    }
    if (has_moved) break;
  }
  return best;
}

struct Parts {
  double real;
  double imaginary;
};

// Without a look for NaN, which takes longer.
Parts product(std::complex<double> a, std::complex<double> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

struct Kernel {
  std::complex<double> value;
  double size;
};

// 1 / (z (z + 1)), without the looks for infinity that a division of complex numbers has.
Kernel kernel_at(std::complex<double> z) {
  const double first = 1 / std::norm(z);
  const double second = 1 / std::norm(z + 1.0);
  const auto [real, imaginary] = product(std::conj(z) * first, std::conj(z + 1.0) * second);
  return {{real, imaginary}, std::sqrt(first) * std::sqrt(second)};
}

// e^{-i s epsilon} for one multiple of the step after the other.
class Turn {
 public:
  // What it is off by, in units, besides the angle's own rounding: less than two thirds for each multiplication.
  // accounting/contour/proofs.md, 4.2
  static constexpr double error = 11;

  Turn(double step, double epsilon) : step_(step), epsilon_(epsilon), by_(std::polar(1.0, -step * epsilon)) {}

  std::complex<double> to(double s) {
    if (left_ > 0 && s == s_ + step_) {
      const auto [real, imaginary] = product(now_, by_);
      now_ = {real, imaginary};
      --left_;
    } else {
      now_ = std::polar(1.0, -s * epsilon_);
      left_ = most_turned;
    }
    s_ = s;
    return now_;
  }

 private:
  static constexpr int most_turned = 15;

  double step_;
  double epsilon_;
  std::complex<double> by_;
  std::complex<double> now_{};
  double s_ = 0;
  int left_ = 0;
};

// Where a falling function is 0, as far as its rounding lets see.
template <class F>
double bisected(const F& f, double low, double high) {
  std::uintmax_t steps = 60;
  const auto value = [&](double at) { return f(at).first; };
  try {
    return boost::math::tools::toms748_solve(value, low, high, boost::math::tools::eps_tolerance<double>(45), steps)
        .first;
  } catch (const std::runtime_error&) {  // boost::math::evaluation_error
    throw DoesNotConverge();
  } catch (const std::domain_error&) {  // both ends on one side
    throw DoesNotConverge();
  }
}

}  // namespace

void Inversion::place(const Transform& loss, double count, const Target& target) {
  const auto [near, epsilon, log_delta] = target;
  // The aliases at distance P are below Chernoff bounds at a point above c and one below, times e^{-P |point - c|}.
  const auto anchor_of = [&](const Transform& of, double point) {
    const double log_bound = point > 0 ? chernoff(of, count, point, 0) : 0;
    return Anchor{point, log_bound, std::max(1.0, log_bound - point * epsilon - log_delta + precision)};
  };
  // Where the sum is nearly normal both points are best at sqrt(2 precision) deviations from the saddle.
  const double gap = std::sqrt(2 * precision / saddle_at(loss, count, near).curvature);
  const Transform& rough = loss.rough();
  const bool has_many = &rough != &loss;
  double gap_above = gap;
  for (int i = 0; has_many && i < most_nearer && !std::isfinite(anchor_of(rough, near + gap_above).needed); ++i)
    gap_above *= nearer;
  above_ = nearest([&](double by) { return anchor_of(rough, near + by * gap_above); },
                   [&](const Anchor& a) { return a.needed / (a.point - near); });
  below_ = nearest([&](double by) { return anchor_of(rough, std::max(0.0, near - by * gap)); },
                   [&](const Anchor& b) { return (above_.needed + b.needed) / (above_.point - b.point); });
  if (has_many) {
    below_ = anchor_of(loss, below_.point);
    above_ = anchor_of(loss, above_.point);
    for (int i = 0; i < most_nearer && !std::isfinite(above_.needed); ++i)
      above_ = anchor_of(loss, near + nearer * (above_.point - near));
  }
  // c is placed so that one P serves both, unless that is where terms far larger than their sum would cancel.
  const auto log_size = [&](double c) { return count * loss.cumulant(c).value - c * epsilon; };
  c_ = (above_.needed * below_.point + below_.needed * above_.point) / (above_.needed + below_.needed);
  for (const double most = log_size(near) + most_cancelled; log_size(c_) > most && std::abs(c_ / near - 1) > 1e-3;)
    c_ = (c_ + near) / 2;
  const double period = std::max(above_.needed / (above_.point - c_), below_.needed / (c_ - below_.point));
  step_ = static_cast<float>(2 * pi / period);

  const Cumulant cumulant = loss.cumulant(c_);
  log_moment_ = count * cumulant.value;
  log_moment_error_ = count * cumulant.error + 2 * unit * std::abs(log_moment_);
}

// accounting/contour/proofs.md, 2.1
double Inversion::sum_up(const Transform& loss, double count, double nodes, double log_negligible, double work) {
  const auto log_characteristic = loss.log_characteristic(c_, nodes * step_, log_negligible / count);
  const double cost = cost_of_node + loss.cost(c_, nodes * step_);
  const double most = work / cost;
  double spent = 0;  // in nodes
  const auto number = to_integer<std::size_t>(nodes, "nodes");
  // Once and for all: memory that vectors grow into is touched twice.
  nodes_.reserve(to_integer<std::size_t>(std::min(nodes, std::ceil(most)), "nodes"));
  for (std::size_t k = 1; k <= number; ++k) {
    if (nodes_.size() % nodes_unasked == 0) heed_interruption();
    if (++spent > most) return static_cast<double>(k) / nodes;
    const double s = static_cast<double>(k) * step_;
    const LogCharacteristic phi = log_characteristic(s);
    double log_abs = count * phi.log_abs;
    const auto [kernel, kernel_size] = kernel_at({c_, s});
    Node node{s, 0, 0, count * phi.error, 0, kernel};
    const double phase = count * phi.phase;
    const bool is_known = node.error < 0.1;
    if (is_known) {
      node.error += 4 * unit * (std::abs(log_abs) + std::abs(phase));
    } else {
      // Nothing is known of this node but how large it is at most.
      log_abs = count * phi.log_upper() * (phi.log_upper() < 0 ? 1 - 8 * unit : 1 + 8 * unit);
      node.error = infinity;
    }
    node.size = 2 * std::exp(log_abs);
    node.size_of_term = node.size * kernel_size;
    if (is_known) node.wave = std::polar(node.size, phase);
    nodes_.push_back(node);
    if (phi.below_until > s + step_) {
      const double last = std::min(static_cast<double>(number), std::floor(phi.below_until / step_ * (1 - 8 * unit)));
      const double skipped = std::max(0.0, last - static_cast<double>(k));
      const double size = 2.02 * std::exp(log_negligible) * skipped;
      tail_ += size * kernel_size;
      smoothed_tail_ += size;
      k += to_integer<std::size_t>(skipped, "nodes");
    }
  }
  return most / spent;
}

std::optional<Inversion> Inversion::make(const Transform& loss, double count, const Target& target,
                                         const Limits& limits) {
  std::optional<double> reached;
  const double work = limits.work * most_work;
  auto found = make(loss, count, target, {0, work, limits.loosest}, reached);
  if (!found || !found->is_cut_short_) return found;
  if (auto longer_sum = make(loss, count, target, {0, work, limits.loosest, room_of_skipped}, reached))
    return longer_sum;
  return found;
}

std::optional<Inversion> Inversion::make_quickly(const Transform& loss, double count, const Target& target) {
  std::optional<double> reached;
  return make(loss, count, target, {0, quick_work, 1}, reached);
}

// The nodes that a sum takes fall like the Gaussian's deviation.
double Smoothing::of_short_sum() const {
  return std::max(wanted, expected * (most_work / quick_work) * (most_work / quick_work));
}

std::optional<Inversion> Inversion::tried(const TransformPtr& loss, const Target& target, double by, double work,
                                          Smoothing& smoothing) {
  std::optional<double> reached;
  auto found = make(*composed({{1, loss}, {1, gaussian(by)}}), 1, target, {by, work, loosest_tail}, reached);
  smoothing.reached = reached ? *reached * most_work / work : unknown_share;
  smoothing.expected = 1.2 * by / (smoothing.reached * smoothing.reached);
  return found;
}

std::optional<Inversion> Inversion::make_smoothed_quickly(const TransformPtr& loss, const Target& target,
                                                          Smoothing& smoothing) {
  for (double by = smoothing.of_short_sum(); by <= smoothing.enough; by = smoothing.of_short_sum())
    if (auto found = tried(loss, target, by, 2 * quick_work, smoothing)) return found;
  return std::nullopt;
}

std::optional<Inversion> Inversion::make_smoothed(const TransformPtr& loss, const Target& target,
                                                  Smoothing& smoothing) {
  const auto next = [&](double last) {
    const double by = std::max(smoothing.enough, smoothing.expected);
    return smoothing.is_needed && last < smoothing.most ? std::min(by, smoothing.most) : by;
  };
  for (double by = next(0); by <= smoothing.most; by = next(by)) {
    const double before = smoothing.reached;
    if (auto found = tried(loss, target, by, most_work, smoothing)) return found;
    // As where the losses themselves decay sooner: the next would be hardly shorter.
    if (smoothing.reached < longer * before) break;
  }
  return std::nullopt;
}

// accounting/contour/proofs.md, 6.1
std::optional<Inversion> Inversion::make(const Transform& loss, double count, const Target& target, const Given& given,
                                         std::optional<double>& reached) {
  Inversion contour;
  const double smoothing = given.smoothing;
  contour.smoothing_ = smoothing;
  contour.correction_ = smoothing * std::exp(smoothing / 8) * (1 + 8 * unit);
  contour.place(loss, count, target);
  const double c = contour.c_;
  const double step = contour.step_;
  // The sum beyond S is at most the sum over blocks of the envelope at the block's beginning times the integral of
  // 1 / |z (z+1)|.
  if (!(0 < step && std::isfinite(step))) return std::nullopt;
  const auto log_envelope = loss.log_envelope(c);
  const auto tail = [&](double from) {
    double sum = 0;
    for (double s = from;; s *= 1.25) {
      const double envelope = std::exp(count * log_envelope(s) * (1 - 1e-12));
      const double rest = envelope / s;
      if (rest < 1e-3 * sum || s > 1e30 * from) return (1 + 1e-9) * (sum + rest) * 2 / step;
      sum += envelope * std::min(0.2 / s, 0.25 * s / (std::hypot(c, s) * std::hypot(c + 1, s)));
    }
  };
  // What is smoothed may skip nodes, and is not refused before it has tried.
  const auto is_affordable = [&](double nodes) {
    return smoothing > 0 ? nodes < most_smoothed_nodes
                         : nodes * (cost_of_node + loss.cost(c, nodes * step)) < given.room * given.most_work;
  };
  const double tolerance = std::exp(target.log_delta - precision - contour.log_scale(target.epsilon));
  double reach = 4 / std::sqrt(saddle_at(loss, count, c).curvature);
  while (tail(reach) > tolerance && reach < std::numeric_limits<double>::max() && is_affordable(1.1 * reach / step + 1))
    reach *= 1.1;
  const double nodes = std::ceil(reach / step);
  contour.terms_ = nodes;
  contour.tail_ = tail(nodes * step);
  contour.is_cut_short_ = contour.tail_ > noticeable_tail * tolerance;
  if (!(contour.tail_ <= given.loosest * tolerance) || !is_affordable(nodes)) return std::nullopt;
  const double cost = loss.cost(c, nodes * step);
  if (smoothing > 0 && std::min(nodes, fewest_smoothed_nodes) * cost > given.most_work) {
    reached = given.most_work / cost / nodes;
    return std::nullopt;
  }
  if (smoothing > 0) {
    // Blocks whose beginnings double: the envelope of the Gaussian in `loss` falls by more than that.
    for (double s = nodes * step, last = infinity; last > 1e-3 * contour.smoothed_tail_; s *= 2) {
      last = s * std::exp(count * log_envelope(s) * (1 - 1e-12));
      contour.smoothed_tail_ += last;
    }
    contour.smoothed_tail_ *= (1 + 1e-2) * 2 / step;
  }
  const double log_negligible = std::log(tolerance) - std::log(nodes) - 2 * std::log1p(c);
  reached = contour.sum_up(loss, count, nodes, std::min(-1.0, log_negligible), given.most_work);
  if (*reached >= 1) return contour;
  // Of fewer nodes each takes less, where those of a quadrature go with how far it reaches.
  const auto cost_of = [&](double share) { return cost_of_node + loss.cost(c, share * nodes * step); };
  const double spent = *reached * cost_of(1);
  for (int i = 0; i < most_corrections; ++i) reached = std::sqrt(*reached * std::min(1.0, spent / cost_of(*reached)));
  return std::nullopt;
}

// accounting/contour/proofs.md, 1.1 and 1.2
numeric::Bracket Inversion::log_delta(double epsilon) const {
  double sum = 1 / (c_ * (c_ + 1));
  double smoothed_sum = 1;
  double error = 8 * unit * sum + tail_;
  double smoothed_error = smoothed_tail_;
  double magnitudes = sum;  // rounding is that of the terms, however much they cancel
  double smoothed_magnitudes = 1;
  Turn turn(step_, epsilon);
  for (const Node& node : nodes_) {
    if (std::isinf(node.error)) {
      error += 1.01 * node.size_of_term;
      smoothed_error += 1.01 * node.size;
      continue;
    }
    const auto [real, imaginary] = product(node.wave, turn.to(node.s));
    sum += real * node.kernel.real() - imaginary * node.kernel.imag();
    smoothed_sum += real;
    const double relative = 1.06 * (node.error + unit * (16 + Turn::error + 4 * std::abs(node.s * epsilon)));
    magnitudes += node.size_of_term;
    smoothed_magnitudes += node.size;
    error += node.size_of_term * relative;
    smoothed_error += node.size * relative;
  }
  const double of_sums = static_cast<double>(nodes_.size()) / 8 * unit;
  error += of_sums * magnitudes;
  smoothed_error += of_sums * smoothed_magnitudes;
  double aliases = 0;
  for (const Anchor& anchor : {above_, below_}) {
    const double log_bound = anchor.log_moment - anchor.point * epsilon - log_scale(epsilon);
    const double fall = std::abs(anchor.point - c_) * 2 * pi / step_;
    aliases += std::exp(log_bound - fall) / -std::expm1(-fall);
  }
  const double scale_error = log_moment_error_ + 8 * unit * (1 + std::abs(log_moment_) + std::abs(c_ * epsilon));
  const double added = correction_ * (smoothed_sum + smoothed_error);
  const double lower = sum - error - (1 + 1e-6) * aliases - added;
  return {lower > 0 ? log_scale(epsilon) + std::log(lower) - scale_error : -infinity,
          log_scale(epsilon) + std::log(sum + error) + scale_error};
}

Witness Inversion::witness(double epsilon, witness::Way way) const {
  return witness::Contour{.way = way,
                          .abscissa = c_,
                          .step = step_,
                          .terms = to_integer<std::uint64_t>(terms_, "nodes"),
                          .log_tail = log_scale(epsilon) + std::log(tail_),
                          .alias_below = below_.point,
                          .alias_above = above_.point,
                          .smoothing = smoothing_};
}

// accounting/contour/proofs.md, 5.1
double Inversion::epsilon_of(double log_delta, double guess, End end) const {
  const double correction = end == End::lower ? correction_ : 0;
  std::vector<std::complex<double>> at_zero;  // the terms at an epsilon of 0
  at_zero.reserve(nodes_.size());
  for (const Node& node : nodes_) at_zero.push_back(node.wave * (node.kernel - correction));
  const auto excess = [&](double epsilon) {
    double sum = 1 / (c_ * (c_ + 1)) - correction;
    double derivative = -c_ * sum;
    Turn turn(step_, epsilon);
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
      const double s = nodes_[k].s;
      const auto [real, imaginary] = product(at_zero[k], turn.to(s));
      sum += real;
      derivative -= c_ * real - s * imaginary;
    }
    // Where delta is lost in the rounding of larger terms, the search must move to a smaller epsilon.
    if (!(sum > 0)) return std::pair(log_scale(epsilon) - 2 * precision - log_delta, -c_);
    return std::pair(log_scale(epsilon) + std::log(sum) - log_delta, derivative / sum);
  };
  // The contour is good for a few multiples of 1/c.
  const double reach = 20 / c_;
  std::uintmax_t steps = 40;
  try {
    return boost::math::tools::newton_raphson_iterate(excess, guess, guess - reach, guess + reach, 45, steps);
  } catch (const boost::math::evaluation_error&) {
    return bisected(excess, guess - reach, guess + reach);
  }
}

}  // namespace dpbudget::contour
