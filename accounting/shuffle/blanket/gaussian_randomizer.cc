#include "dpbudget/accounting/shuffle/blanket/gaussian_randomizer.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/numeric/normal.h"
#include "dpbudget/accounting/profile/gaussian.h"
#include "dpbudget/accounting/shuffle/blanket/gaussian_layers.h"

namespace dpbudget::shuffle {
namespace {

const std::string lemma = "Balle, Bell, Gascon, Nissim 2019, Lemma 5.3";
constexpr int offsets = 8;  // ranges of the distance between the line through two inputs and 0

// R_x, x in one dimension, on the outputs of one sign.
struct Noisy {
  double x;
  double noise;

  // Of sign [from, to].
  double mass(double from, double to, double sign) const {
    return numeric::normal_mass((from - sign * x) / noise, (to - sign * x) / noise);
  }
  // log of its density at sign y over N(0, noise^2)'s at y + radius.
  double log_ratio(double y, double sign, double radius) const {
    return ((radius + sign * x) * y + (radius * radius - x * x) / 2) / (noise * noise);
  }
};

// accounting/shuffle/blanket/proofs.md, 6.3
class Line {
 public:
  Line(double noise, double left_out) : noise_(noise), left_out_(left_out) {}

  // The pair of x > other over the blanket, thinned out in layers.
  BlanketPair pair(double x, double other, const Layers& layers) const {
    const double last = std::max(1.0, x) + reach();
    BlanketPair pair = framed(x, last);
    double kept = 0;
    for (const Layer& layer : layers.layers) {
      kept += layer.probability * std::exp(-layer.log_thinning);
      for (const double sign : {1.0, -1.0})
        pair.stretches.push_back(stretch({x, noise_}, {other, noise_}, layer, sign, last));
    }
    pair.rest =
        std::erf(1 / (noise_ * std::numbers::sqrt2)) + (1 - kept) * std::erfc(1 / (noise_ * std::numbers::sqrt2));
    pair.left_out += layers.left_out;
    pair.left_out_blanket = 2 * numeric::upper_tail((last + 1) / noise_) * kept;
    pair.mass_error += layers.relative_error;
    pair.mean_error = 4 * pair.mass_error;
    return pair;
  }

  // The inputs 1 and -1, all other users holding z.
  BlanketPair witness(double z) const {
    const double last = 1 + reach();
    BlanketPair pair = framed(1, last);
    const Noisy ground{z, noise_};
    for (const double sign : {1.0, -1.0}) {
      const auto ratios = [=, noise = noise_](double y) {
        const double common = ground.log_ratio(y, sign, 0);
        return LogRatios{Noisy{1, noise}.log_ratio(y, sign, 0) - common,
                         Noisy{-1, noise}.log_ratio(y, sign, 0) - common};
      };
      pair.stretches.push_back({0, last, [=, noise = noise_](double from, double to) {
                                  const double mass = ground.mass(from, to, sign);
                                  const auto mean = [&](double x) {
                                    return std::log(Noisy{x, noise}.mass(from, to, sign) / mass);
                                  };
                                  return cell(mass, ratios(from), {mean(1), mean(-1)}, ratios(to));
                                }});
    }
    return pair;
  }

 private:
  static Cell cell(double mass, const LogRatios& from, const LogRatios& mean, const LogRatios& to) {
    const auto inside = [](double value, double a, double b) {
      return std::clamp(value, std::min(a, b), std::max(a, b));
    };
    return {mass, from, {inside(mean.first, from.first, to.first), inside(mean.second, from.second, to.second)}, to};
  }

  Stretch stretch(const Noisy& x, const Noisy& other, const Layer& layer, double sign, double last) const {
    const double noise = noise_;
    return {0, last, [=](double from, double to) {
              const double blanket = numeric::normal_mass((from + 1) / noise, (to + 1) / noise);
              const auto at = [&](const Noisy& input, double y) {
                return input.log_ratio(y, sign, 1) + layer.log_thinning;
              };
              const auto mean = [&](const Noisy& input) {
                return std::log(input.mass(from, to, sign) / blanket) + layer.log_thinning;
              };
              return cell(blanket * layer.probability * std::exp(-layer.log_thinning), {at(x, from), at(other, from)},
                          {mean(x), mean(other)}, {at(x, to), at(other, to)});
            }};
  }

  double reach() const { return noise_ * numeric::upper_tail_point(left_out_); }

  BlanketPair framed(double x, double last) const {
    if ((1 + x) * last / (noise_ * noise_) > 600)
      throw Unsupported("gaussian noise has likelihood ratios above e^600; it needs more noise or left_out");
    BlanketPair pair{.rest = 0, .atoms = {}, .stretches = {}};
    pair.left_out = (numeric::upper_tail((last - x) / noise_) + numeric::upper_tail((last + x) / noise_)) * (1 + 1e-9);
    // A cell is at least 2^-12 of a stretch wide. On the side that `between` takes, a tail is at most 4 / width times
    // the difference of two, since the normal law's hazard rate is at least 0.79 there, or both points are near 0. A
    // tail itself is right within (2 + x^2 / 8) units.
    const double farthest = (last + 1) / noise_;
    pair.mass_error = 0x1p-49 * (4 + farthest * farthest / 8) * (2 + 0x1p15 * noise_ / last);
    pair.mean_error = 4 * pair.mass_error;
    return pair;
  }

  double noise_;
  double left_out_;
};

const Layers one_layer{{{1, 0}}, 0, 0};

void check(double noise, double least, double left_out) {
  require(least <= noise && noise <= 1e3, "noise", noise, least == 1 ? "in [1, 1e3]" : "in [1.42, 1e3]");
  require(1e-100 <= left_out && left_out <= 0.1, "left_out", left_out, "in [1e-100, 0.1]");
}

// log(1 + x) - x^2 / (2 noise^2), of which differences are the epsilons up to which l is monotone.
struct Threshold {
  double noise;

  double difference(double high, double low) const {
    return std::log1p((high - low) / (1 + low)) - (high - low) * (high + low) / (2 * noise * noise);
  }
  // Where it is largest: x (1 + x) = noise^2.
  double top() const { return (std::sqrt(1 + 4 * noise * noise) - 1) / 2; }
  // An upper bound on the distance to `end` of points whose difference to it is less than epsilon: it is concave.
  double reach(double end, double epsilon) const {
    double low = -end;
    double high = end;
    if (difference(end, low) < epsilon) return 2 * end;
    for (int i = 0; i < 200 && high - low > 1e-9 * (end - low); ++i) {
      const double middle = low + (high - low) / 2;
      (difference(end, middle) < epsilon ? high : low) = middle;
    }
    return end - low;
  }
};

// Pairs in [-end, end] that are so close that l is not monotone and no input is far enough from them.
// accounting/shuffle/blanket/proofs.md, 6.1
ClosePairs close_pairs(const Line& line, double noise, double end, const Layers& layers) {
  const Threshold threshold{noise};
  const double beyond = (end + threshold.top()) / 2;
  const auto local = [=](double epsilon) {
    return profile::gaussian_log_delta_bound(noise / threshold.reach(end, epsilon + 1e-12), epsilon).upper;
  };
  return {local, line.pair(beyond, -1, layers), threshold.difference(beyond, end) * (1 - 1e-9)};
}

}  // namespace

Randomizer gaussian(double noise, std::uint64_t dimension, double left_out) {
  check(noise, 1.42, left_out);
  require(1 <= dimension && dimension <= 10000, "dimension", dimension, "in [1, 10000]");
  const double share = dimension == 1 ? left_out : left_out / 2;
  const Line line(noise, share);
  Randomizer randomizer{lemma + "; worst pair: accounting/shuffle/blanket/proofs.md, 6.1", {}};
  const auto add = [&](double end, const Layers& layers) {
    randomizer.pairs.push_back(line.pair(end, -1, layers));
    randomizer.close_pairs.push_back(close_pairs(line, noise, end, layers));
  };
  if (dimension == 1) add(1, one_layer);
  for (int i = 0; dimension > 1 && i < offsets; ++i) {
    const double least = static_cast<double>(i) / offsets;
    const double greatest = static_cast<double>(i + 1) / offsets;
    add(std::sqrt((1 - least) * (1 + least)), gaussian_layers(noise, dimension, least, greatest, share));
  }
  randomizer.witnesses = {line.witness(-1), line.witness(0)};
  return randomizer;
}

Randomizer gaussian_signs(double noise, double left_out) {
  check(noise, 1, left_out);
  const Line line(noise, left_out);
  Randomizer randomizer{lemma, {line.pair(1, -1, one_layer)}, {line.witness(-1), line.witness(0)}};
  randomizer.unproven = "holds for the inputs 1 and -1; that no other pair in [-1, 1] is worse is not proven";
  return randomizer;
}

}  // namespace dpbudget::shuffle
