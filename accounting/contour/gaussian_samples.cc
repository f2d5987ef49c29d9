#include "dpbudget/accounting/contour/gaussian_samples.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <memory>
#include <optional>
#include <utility>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/contour/density_layers.h"
#include "dpbudget/accounting/contour/noise_interpolation.h"
#include "dpbudget/accounting/numeric/rounding.h"
#include "dpbudget/accounting/renyi/mixture_moment.h"

namespace dpbudget::contour {
namespace {

using numeric::unit;

double variance_of(const SampledNoise& noise) { return 1 / noise.noise_multiplier / noise.noise_multiplier; }

// A group's log variances spread by at most this much, and less where moments grow fast with the variance.
constexpr double widest_spread = 1;
constexpr double most_growth = 16;
// Chebyshev's points are tried with so many...
constexpr std::size_t fewest_points = 12;
constexpr std::size_t most_points = 64;
// ... until all members' errors together are this little, where the kernel is this much larger than on the real axis.
constexpr double enough = 1e-11;
constexpr double typical_kernel = 30;
// Around variances that are not interpolated, to bound the derivative.
constexpr double widest_radius = 0.25;
constexpr double widest_angle_of_noise = 1.2;
constexpr double room_in_order = 1.5;
// Members share an envelope whose losses' density is at most so much less.
constexpr double least_of_density = 0.8;
constexpr std::size_t factors = 8;

// A bound on |M(c) - 1| for every variance whose logarithm has a real part of at most `most` and an imaginary one of
// at most `angle` (proofs.md, section 8).
double largest_excess(const SamplePair& pair, double c, double most, double angle) {
  const double variance = std::exp(most) / std::cos(angle);
  const renyi::MixtureMoment moment({pair.rate, 1 / std::sqrt(variance)});
  double sum = 0;
  const auto add = [&](double power) {
    const auto excess = moment(power);
    sum += excess ? std::exp(excess->log_value) * (1 + excess->relative_error) : infinity;
  };
  if (pair.kind != SampleKind::add) add(c + 1);
  if (pair.kind != SampleKind::remove) add(-c);
  const double growth = std::exp(std::exp(most) * std::sin(angle) * std::tan(angle) / 8) / std::sqrt(std::cos(angle));
  return (1 + 1e-9) * growth * sum;
}

// Noises that are near one another.
class Group {
 public:
  Group(const SamplePair& pair, std::vector<SampledNoise> members, double most_order, double reach)
      : pair_(pair), members_(std::move(members)) {
    std::vector<double> variances;
    double all = 0;
    for (const SampledNoise& member : members_) {
      variances.push_back(variance_of(member));
      noise_error_ = std::max(noise_error_, member.noise_error);
      all += member.count * member.inside;
    }
    const auto [least, most] = std::ranges::minmax(variances);
    log_most_ = std::log(most);
    if (variances.size() > fewest_points) {
      if (const std::size_t points = points_for(variances, most_order, all)) interpolation_.emplace(variances, points);
    }
    moments_.emplace(pair, interpolation_ ? interpolation_->points() : std::move(variances), most_order, reach);
  }

  struct AtOrder {
    SampleMoments::AtOrder rows;
    ExcessMoments moments;     // of the members; the error is that of all
    double amplification = 1;  // of errors of rows
    double interpolated = 0;   // error of interpolation and of rounded variances, over |z (z+1)|
    double rounded = 0;        // that of the interpolation's sums, over |z (z+1)|
  };

  AtOrder at(double c) const {
    AtOrder at{.rows = moments_->at(c), .moments = {}};
    const ExcessMoments& of_rows = at.rows.moments;
    const double kernel = c * (c + 1);
    const double of_variances = 2 * noise_error_ + unit * (8 + 2 * std::abs(log_most_) + 2 * widest_spread);
    if (!interpolation_) {
      at.moments = of_rows;
      const double radius = std::min(widest_radius, 4 / (kernel * std::exp(log_most_)));
      const double largest = largest_excess(pair_, c, log_most_ + radius, radius);
      at.interpolated = of_variances * largest / radius / kernel;
    } else {
      const double largest = largest_excess(pair_, c, ellipse_.most, ellipse_.angle);
      at.amplification = interpolation_->amplification();
      at.interpolated = (NoiseInterpolation::remainder(moments_->size(), ellipse_.ratio) +
                         (1 + at.amplification) * of_variances / std::min(1.0, ellipse_.distance)) *
                        largest / kernel;
      at.rounded = 4 * unit * static_cast<double>(moments_->size()) * at.amplification *
                   *std::ranges::max_element(of_rows.value) / kernel;
      for (const auto part : {&ExcessMoments::value, &ExcessMoments::first, &ExcessMoments::second}) {
        (at.moments.*part).resize(members_.size());
        (*interpolation_)(of_rows.*part, at.moments.*part);
      }
    }
    at.moments.error.assign(1, error(at, of_rows.error.front(), kernel));
    return at;
  }

  // M(c + is) - 1 of every member.
  // @return a bound on the error of each
  double evaluate(const AtOrder& at, double s, std::vector<double>& real, std::vector<double>& imaginary) {
    const double kernel = std::hypot(at.rows.c, s) * std::hypot(at.rows.c + 1, s);
    real.resize(members_.size());
    imaginary.resize(members_.size());
    if (!interpolation_) return error(at, moments_->evaluate(at.rows, s, waves_, real, imaginary), kernel);
    row_real_.resize(moments_->size());
    row_imaginary_.resize(moments_->size());
    const double of_rows = moments_->evaluate(at.rows, s, waves_, row_real_, row_imaginary_);
    (*interpolation_)(row_real_, real);
    (*interpolation_)(row_imaginary_, imaginary);
    return error(at, of_rows, kernel);
  }

  const std::vector<SampledNoise>& members() const { return members_; }
  double nodes() const { return static_cast<double>(moments_->nodes()); }

 private:
  // How many are enough, fewer than there are variances; else 0. Chooses the ellipse.
  std::size_t points_for(const std::vector<double>& variances, double most_order, double all) {
    const NoiseRange range(variances);
    struct Choice {
      double ratio;
      double largest;
    };
    std::vector<Choice> choices;
    for (const double ratio : {1.25, 1.5, 2.0, 3.0, 4.0, 6.0, 9.0}) {
      const NoiseEllipse ellipse = range.ellipse(ratio);
      if (!(ellipse.angle < widest_angle_of_noise)) break;
      choices.push_back({ratio, largest_excess(pair_, most_order, ellipse.most, ellipse.angle)});
    }
    for (std::size_t points = fewest_points; points < variances.size() && points <= most_points; points += 4) {
      double smallest = infinity;
      for (const auto& [ratio, largest] : choices) {
        const double remainder = NoiseInterpolation::remainder(points, ratio) * largest;
        if (!(remainder < smallest)) continue;
        smallest = remainder;
        ellipse_ = range.ellipse(ratio);
      }
      if (all * typical_kernel * smallest <= enough) return points;
    }
    return 0;
  }

  static double error(const AtOrder& at, double of_rows, double kernel) {
    return (1 + 1e-6) * (at.amplification * of_rows + kernel * (at.interpolated + at.rounded));
  }

  SamplePair pair_;
  std::vector<SampledNoise> members_;
  double noise_error_ = 0;
  double log_most_ = 0;
  NoiseEllipse ellipse_{};
  std::optional<NoiseInterpolation> interpolation_;
  std::optional<SampleMoments> moments_;
  SampleMoments::Waves waves_;
  std::vector<double> row_real_;
  std::vector<double> row_imaginary_;
};

// One member's losses at one c.
struct MemberAt {
  double moment;  // M(c) of one sample
  Cumulant inside;
  Cumulant all;     // of its participation
  double part = 1;  // of the moment that comes from rounds in which it takes part
};

MemberAt member_at(const SampledNoise& member, const ExcessMoments& moments, std::size_t i) {
  const double excess = moments.value[i];
  const double error = moments.error.front();
  if (!(error < 0.1 * (1 + excess) && std::isfinite(excess))) throw DoesNotConverge();
  const double moment = 1 + excess;
  const double mean = moments.first[i] / moment;
  const double times = member.inside;
  MemberAt at{.moment = moment, .inside = {}, .all = {}};
  at.inside = {times * std::log1p(excess), times * mean,
               times * std::max(0.0, moments.second[i] / moment - mean * mean),
               times * (-std::log1p(-error / moment) + 4 * unit * std::log1p(std::abs(excess)))};
  at.all = participating(member.participation, at.inside);
  at.part = member.participation == 1 ? 1 : member.participation * std::exp(at.inside.value - at.all.value);
  return at;
}

class GaussianSamples final : public Transform {
 public:
  GaussianSamples(const SamplePair& pair, std::vector<SampledNoise> noises) : pair_(pair), noises_(std::move(noises)) {
    std::ranges::sort(noises_, [](const auto& a, const auto& b) { return a.noise_multiplier < b.noise_multiplier; });
  }

  Cumulant cumulant(double c) const override {
    if (c != last_c_) {
      try {
        last_ = sum_at(c);
      } catch (const DoesNotConverge&) {
        last_ = {infinity, infinity, infinity, infinity};  // beyond what can be computed: no use as a bound
      }
      last_c_ = c;
    }
    return last_;
  }

  std::function<double(double)> log_envelope(double c) const override;
  std::function<LogCharacteristic(double)> log_characteristic(double c, double reach, double floor) const override;

  double cost(double c, double) const override {
    cumulant(c);
    double sum = 0;
    for (const Group& group : groups_) sum += group.nodes();
    return sum + (is_plain() ? 0.5 : 8) * static_cast<double>(noises_.size());
  }

  double max_loss() const override {
    if (pair_.kind != SampleKind::add) return infinity;
    double sum = 0;
    for (const SampledNoise& noise : noises_) sum += noise.count * noise.inside;
    return sum * -std::log1p(-pair_.rate) * (1 + 1e-9);
  }

 private:
  bool is_plain() const {
    return std::ranges::all_of(noises_, [](const auto& n) { return n.inside == 1 && n.participation == 1; });
  }

  // Neighbours in noise, together where their moments differ little.
  std::vector<Group> groups(double most_order, double reach) const {
    std::vector<Group> found;
    for (std::size_t first = 0; first < noises_.size();) {
      const double most = variance_of(noises_[first]);
      const double spread = std::min(widest_spread, most_growth / (most_order * (most_order + 1) * most));
      std::size_t end = first;
      while (end < noises_.size() && variance_of(noises_[end]) >= most * std::exp(-spread)) ++end;
      found.emplace_back(pair_,
                         std::vector(noises_.begin() + static_cast<std::ptrdiff_t>(first),
                                     noises_.begin() + static_cast<std::ptrdiff_t>(end)),
                         most_order, reach);
      first = end;
    }
    return found;
  }

  Cumulant sum_at(double c) const {
    if (!(c <= largest_c_) || c < largest_c_ / 4) {
      largest_c_ = room_in_order * c;
      groups_ = groups(largest_c_, 0);
    }
    Cumulant sum{};
    double magnitudes = 0;
    for (const Group& group : groups_) {
      const Group::AtOrder at = group.at(c);
      for (std::size_t i = 0; i < group.members().size(); ++i) {
        const double count = group.members()[i].count;
        const Cumulant one = member_at(group.members()[i], at.moments, i).all;
        sum.value += count * one.value;
        sum.mean += count * one.mean;
        sum.variance += count * one.variance;
        sum.error += count * one.error;
        magnitudes += count * std::abs(one.value);
      }
    }
    sum.error += unit * (1 + static_cast<double>(noises_.size()) / 8) * magnitudes;
    return sum;
  }

  SamplePair pair_;
  std::vector<SampledNoise> noises_;  // by noise
  mutable double largest_c_ = 0;
  mutable std::vector<Group> groups_;
  mutable double last_c_ = 0;
  mutable Cumulant last_{};
};

// Members between whose densities the ratio is known share the envelope of the one with the largest noise.
struct SharedEnvelope {
  DensityLayers layers;
  double density = 1;  // of the least member, over that of the layers
  double inside;       // the least
  double part;         // the least
  double count = 0;    // of all
};

std::function<double(double)> GaussianSamples::log_envelope(double c) const {
  cumulant(c);
  std::vector<SharedEnvelope> shared;
  double variance = 0;  // of the layers
  double moment = 0;
  for (auto group = groups_.rbegin(); group != groups_.rend(); ++group) {
    const Group::AtOrder at = group->at(c);
    for (std::size_t i = group->members().size(); i-- > 0;) {
      const SampledNoise& member = group->members()[i];
      const MemberAt member_here = member_at(member, at.moments, i);
      const double own = variance_of(member);
      const double density = shared.empty() ? 0
                                            : (1 - 1e-9) * std::sqrt(variance / own) * std::exp(-(own - variance) / 8) *
                                                  moment / member_here.moment;
      if (!(density >= least_of_density)) {
        variance = own;
        moment = member_here.moment;
        shared.push_back({.layers = {pair_, member.noise_multiplier, c, std::log(moment)},
                          .inside = member.inside,
                          .part = member_here.part});
      }
      SharedEnvelope& envelope = shared.back();
      if (density >= least_of_density) envelope.density = std::min(envelope.density, density);
      envelope.inside = std::min(envelope.inside, member.inside);
      envelope.part = std::min(envelope.part, member_here.part);
      envelope.count += member.count;
    }
  }
  return [shared = std::move(shared)](double s) {
    double sum = 0;
    for (const SharedEnvelope& envelope : shared) {
      const double inside = envelope.inside * std::log1p(-(1 - 1e-6) * envelope.density * envelope.layers.lost(s));
      sum +=
          envelope.count * (envelope.part < 1 ? std::log1p((1 - 1e-6) * envelope.part * std::expm1(inside)) : inside);
    }
    return sum;
  };
}

// log phi of all members at one c.
class SampledCharacteristic {
 public:
  SampledCharacteristic(std::vector<Group> groups, double c) : groups_(std::move(groups)) {
    for (const Group& group : groups_) {
      at_.push_back(group.at(c));
      for (std::size_t i = 0; i < group.members().size(); ++i)
        members_.push_back(member_at(group.members()[i], at_.back().moments, i));
    }
  }

  LogCharacteristic operator()(double s) {
    LogCharacteristic sum{};
    double log_upper = 0;
    double turned = 0;
    std::size_t first = 0;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const double error = groups_[g].evaluate(at_[g], s, real_, imaginary_) + at_[g].moments.error.front();
      add(groups_[g].members(), at_[g].moments, &members_[first], error, sum, log_upper, turned);
      first += groups_[g].members().size();
    }
    if (std::isinf(sum.error)) sum.log_abs = log_upper;
    sum.error += unit * (1 + static_cast<double>(members_.size()) / 8) * (turned + std::abs(sum.log_abs));
    return sum;
  }

 private:
  void add(const std::vector<SampledNoise>& noises, const ExcessMoments& moments, const MemberAt* at, double error,
           LogCharacteristic& sum, double& log_upper, double& turned) {
    std::complex<double> product = 1;
    std::size_t multiplied = 0;
    const auto close = [&] {
      if (multiplied == 0) return;
      const double log_abs = std::log(std::abs(product));
      const double phase = std::arg(product);
      sum.log_abs += log_abs;
      log_upper += log_abs;
      sum.phase += phase;
      turned += std::abs(phase);
      product = 1;
      multiplied = 0;
    };
    double product_error = 0;
    for (std::size_t i = 0; i < noises.size(); ++i) {
      const double moment = at[i].moment;
      const double of_phi = error / moment;
      const bool is_plain = noises[i].inside == 1 && noises[i].participation == 1;
      if (is_plain && noises[i].count == 1) {
        const std::complex<double> phi((1 + real_[i]) / moment, imaginary_[i] / moment);
        const double square = std::norm(phi);
        const double relative = of_phi / std::sqrt(square);
        if (relative < 0.25) {
          product *= phi;
          product_error += relative * (1 + relative) + 8 * unit;
          if (++multiplied == factors) close();
          continue;
        }
      }
      const std::complex<double> change((real_[i] - moments.value[i]) / moment, imaginary_[i] / moment);
      LogCharacteristic one = log1p(change, of_phi);
      if (!is_plain) one = of_participation(one, noises[i], at[i]);
      sum.log_abs += noises[i].count * one.log_abs;
      sum.phase += noises[i].count * one.phase;
      turned += noises[i].count * std::abs(one.phase);
      sum.error += noises[i].count * one.error;
      log_upper += noises[i].count * one.log_upper();
    }
    close();
    sum.error += product_error;
    log_upper += product_error;
  }

  static LogCharacteristic of_participation(LogCharacteristic one, const SampledNoise& noise, const MemberAt& at) {
    one = {noise.inside * one.log_abs, noise.inside * one.phase,
           one.is_known() ? noise.inside * (one.error + 4 * unit * (std::abs(one.phase) + std::abs(one.log_abs)))
                          : one.error};
    if (noise.participation == 1) return one;
    return participating(one, at.part, at.inside.error + 8 * unit * (1 + std::abs(at.inside.value)));
  }

  std::vector<Group> groups_;
  std::vector<Group::AtOrder> at_;
  std::vector<MemberAt> members_;
  std::vector<double> real_;
  std::vector<double> imaginary_;
};

std::function<LogCharacteristic(double)> GaussianSamples::log_characteristic(double c, double reach, double) const {
  return [phi = SampledCharacteristic(groups(c, reach), c)](double s) mutable { return phi(s); };
}

}  // namespace

TransformPtr gaussian_samples(const SamplePair& pair, std::vector<SampledNoise> noises) {
  return std::make_shared<GaussianSamples>(pair, std::move(noises));
}

}  // namespace dpbudget::contour
