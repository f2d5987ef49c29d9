#include "dpbudget/accounting/contour/gaussian_samples.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <memory>
#include <utility>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/contour/density_layers.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::contour {
namespace {

using numeric::unit;

constexpr double room_in_order = 1.5;
// Members share an envelope whose losses' density is at most so much less.
constexpr double least_of_density = 0.8;
constexpr std::size_t factors = 8;
// Groups whose log variances spread by so little, where moments grow fast with the variance, are not cut further.
constexpr double most_growth = 16;
// To find contours by, so many stand for all the others.
constexpr std::size_t representatives = 32;

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
  if (!(error < 0.5 * (1 + excess) && std::isfinite(excess))) throw DoesNotConverge();
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

// Neighbours that differ in nothing but their noises, as many of the one of least noise: where that takes over, large
// orders have no moments to speak of.
std::vector<SampledNoise> representing(std::vector<SampledNoise> noises) {
  const auto kind = [](const SampledNoise& noise) { return std::pair(noise.inside, noise.participation); };
  std::ranges::stable_sort(noises, {}, kind);
  const std::size_t most = noises.size() / representatives + 1;
  std::vector<SampledNoise> found;
  for (std::size_t first = 0; first < noises.size();) {
    SampledNoise all = noises[first];
    std::size_t i = first + 1;
    for (; i < noises.size() && i < first + most && kind(noises[i]) == kind(all); ++i) all.count += noises[i].count;
    found.push_back(all);
    first = i;
  }
  return found;
}

class GaussianSamples final : public Transform {
 public:
  GaussianSamples(const SamplePair& pair, std::vector<SampledNoise> noises) : pair_(pair), noises_(std::move(noises)) {
    std::ranges::sort(noises_, [](const auto& a, const auto& b) { return a.noise_multiplier < b.noise_multiplier; });
    std::vector<SampledNoise> few = representing(noises_);
    if (2 * few.size() < noises_.size()) rough_ = std::make_unique<GaussianSamples>(pair, std::move(few));
  }

  Cumulant cumulant(double c) const override {
    return memory_.at(c, [this](double at) {
      try {
        return sum_at(at);
      } catch (const DoesNotConverge&) {
        return Cumulant{infinity, infinity, infinity, infinity};  // beyond what can be computed: no use as a bound
      }
    });
  }

  const Transform& rough() const override { return rough_ ? *rough_ : *this; }

  std::function<double(double)> log_envelope(double c) const override;
  std::function<LogCharacteristic(double)> log_characteristic(double c, double reach, double floor) const override;

  double cost(double c, double reach) const override {
    double sum = 0;
    for (const NoiseGroup& group : groups_at(c)) sum += group.cost(reach);
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

  // Neighbours in noise, as many together as can be interpolated.
  std::vector<NoiseGroup> groups(double most_order, double reach) const {
    std::vector<NoiseGroup> found;
    double spread = NoiseGroup::widest_spread;
    for (std::size_t first = 0; first < noises_.size();) {
      const double most = variance_of(noises_[first]);
      const double least_spread =
          std::min(NoiseGroup::widest_spread, most_growth / (most_order * (most_order + 1) * most));
      std::vector<SampledNoise> members;
      for (spread = std::min(NoiseGroup::widest_spread, 2 * spread);; spread /= 2) {
        spread = std::max(spread, least_spread);
        members.clear();
        for (std::size_t i = first; i < noises_.size() && variance_of(noises_[i]) >= most * std::exp(-spread); ++i)
          members.push_back(noises_[i]);
        if (spread == least_spread || NoiseGroup::are_near(pair_, members, most_order)) break;
      }
      first += members.size();
      found.emplace_back(pair_, std::move(members), most_order, reach);
    }
    return found;
  }

  // For c, and a few more near it: where contours are looked for by others few are asked for, and at large orders
  // groups are small.
  const std::vector<NoiseGroup>& groups_at(double c) const {
    if (!(c <= largest_c_) || c < largest_c_ / (rough_ ? room_in_order : 4)) {
      // Where they take too many nodes those that are known stay what they are.
      const double most_order = rough_ ? c : room_in_order * c;
      groups_ = groups(most_order, 0);
      largest_c_ = most_order;
    }
    return groups_;
  }

  Cumulant sum_at(double c) const {
    Cumulant sum{};
    double magnitudes = 0;
    for (const NoiseGroup& group : groups_at(c)) {
      const NoiseGroup::AtOrder at = group.at(c);
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
  mutable std::vector<NoiseGroup> groups_;
  mutable CumulantMemory memory_;
  std::unique_ptr<const GaussianSamples> rough_;  // null where there are few
};

// Members between whose densities the ratio is known share the envelope of the one with the largest noise.
struct SharedEnvelope {
  DensityLayers layers;
  double density = 1;  // of the least member, over that of the layers
  double inside;       // the least
  double part;         // the least
  double count = 0;    // of all
};

// accounting/contour/proofs.md, 8.7
std::function<double(double)> GaussianSamples::log_envelope(double c) const {
  if (std::isinf(cumulant(c).value)) throw DoesNotConverge();
  const std::vector<NoiseGroup>& groups = groups_at(c);
  std::vector<SharedEnvelope> shared;
  double variance = 0;  // of the layers
  double moment = 0;
  double error = 0;  // the largest relative one, of moments
  for (auto group = groups.rbegin(); group != groups.rend(); ++group) {
    const NoiseGroup::AtOrder at = group->at(c);
    for (std::size_t i = group->members().size(); i-- > 0;) {
      const SampledNoise& member = group->members()[i];
      const MemberAt member_here = member_at(member, at.moments, i);
      error = std::max(error, member_here.inside.error);
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
  // What is divided by two of them.
  const double sure = 1 - 1e-6 - 4 * error;
  if (!(sure > 0)) throw DoesNotConverge();
  return [shared = std::move(shared), sure](double s) {
    double sum = 0;
    for (const SharedEnvelope& envelope : shared) {
      const double inside = envelope.inside * std::log1p(-sure * envelope.density * envelope.layers.lost(s));
      sum += envelope.count * (envelope.part < 1 ? std::log1p(sure * envelope.part * std::expm1(inside)) : inside);
    }
    return sum;
  };
}

// log phi of all members at one c.
// accounting/contour/proofs.md, 8.7
class SampledCharacteristic {
 public:
  SampledCharacteristic(std::vector<NoiseGroup> groups, double c) : groups_(std::move(groups)) {
    for (const NoiseGroup& group : groups_) {
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
      const double of_phi = error / (moment - moments.error.front());
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
    return participating(one, at.part, std::expm1(at.inside.error + 8 * unit * (1 + std::abs(at.inside.value))));
  }

  std::vector<NoiseGroup> groups_;
  std::vector<NoiseGroup::AtOrder> at_;
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
