#include "dpbudget/accounting/shuffle/blanket/gaussian_layers.h"

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <initializer_list>

#include "dpbudget/accounting/numeric/library_errors.h"
#include "dpbudget/accounting/numeric/normal.h"

namespace dpbudget::shuffle {
namespace {

constexpr int cells = 96;  // of each coordinate
constexpr int most_layers = 12;

// A cell keeps a hundredth of a tail.
constexpr double error = 128 * numeric::incomplete_gamma_error;

// A range of a coordinate, with its probability.
struct Range {
  double from;
  double to;
  double probability;
};

std::vector<Range> normal_ranges(double end) {
  std::vector<Range> ranges;
  const double step = 2 * end / cells;
  for (int i = 0; i < cells; ++i) {
    const double from = -end + i * step;
    const double to = i + 1 == cells ? end : from + step;
    ranges.push_back({from, to, numeric::normal_mass(from, to)});
  }
  return ranges;
}

// The norm of a normal vector; what exceeds the last range has probability `tail`, the first begins at 0.
std::vector<Range> norm_ranges(double dimension, double tail) {
  const double shape = dimension / 2;
  const double first = std::sqrt(2 * boost::math::gamma_p_inv(shape, std::min(0.01, tail)));
  const double last = std::sqrt(2 * boost::math::gamma_q_inv(shape, tail));
  const auto below = [&](double r) { return boost::math::gamma_p(shape, r * r / 2); };
  const auto above = [&](double r) { return boost::math::gamma_q(shape, r * r / 2); };
  std::vector<Range> ranges{{0, first, below(first)}};
  const double step = (last - first) / cells;
  for (int i = 0; i < cells; ++i) {
    const double from = first + i * step;
    const double to = i + 1 == cells ? last : from + step;
    ranges.push_back({from, to, above(from) < 0.5 ? above(from) - above(to) : below(to) - below(from)});
  }
  return ranges;
}

// The layers that lose least: thinned by the greatest of their members, which are sorted by it.
std::vector<Layer> merged(std::vector<Layer> fine) {
  std::ranges::sort(fine, {}, &Layer::log_thinning);
  const double width = (fine.back().log_thinning - fine.front().log_thinning) / most_layers;
  std::vector<Layer> layers;
  double end = fine.front().log_thinning + width;
  double probability = 0;
  double thinning = 0;
  for (const Layer& layer : fine) {
    if (layer.log_thinning > end && probability > 0) {
      layers.push_back({probability, thinning});
      probability = 0;
      while (layer.log_thinning > end) end += width;
    }
    probability += layer.probability;
    thinning = layer.log_thinning;
  }
  layers.push_back({probability, thinning});
  return layers;
}

}  // namespace

// accounting/shuffle/blanket/proofs.md, 6.2
Layers gaussian_layers(double noise, std::uint64_t dimension, double least_offset, double greatest_offset,
                       double left_out) {
  // Of Z, the coordinate along m and the norm of what is orthogonal to m.
  const double others = static_cast<double>(dimension) - 2;
  const std::vector<Range> along = normal_ranges(numeric::upper_tail_point(left_out / 4) + 1e-12);
  const std::vector<Range> across = others == 0 ? std::vector<Range>{{0, 0, 1}} : norm_ranges(others, left_out / 2);
  const auto thinning = [noise](double offset, double z, double r) {
    const double shifted = std::hypot(offset + noise * z, noise * r);
    return (offset * offset + 2 * noise * offset * z + 2 * shifted) / (2 * noise * noise);
  };
  std::vector<Layer> fine;
  for (const Range& a : along) {
    for (const Range& r : across) {
      // Convex in the offset and in z, increasing in r: greatest at the ends.
      double most = 0;
      for (const double offset : {least_offset, greatest_offset})
        for (const double z : {a.from, a.to}) most = std::max(most, thinning(offset, z, r.to));
      fine.push_back({a.probability * r.probability, most * (1 + 0x1p-49)});
    }
  }
  return {merged(std::move(fine)), left_out * (1 + numeric::gamma_quantile_error), error};
}

}  // namespace dpbudget::shuffle
