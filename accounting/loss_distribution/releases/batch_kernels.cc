#include "dpbudget/accounting/loss_distribution/releases/batch_kernels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <queue>
#include <utility>

#include "dpbudget/accounting/base/interruption.h"
#include "dpbudget/accounting/loss_distribution/releases/batch_triangle.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::loss_distribution {
namespace {

using numeric::unit;

// Ratios at which triangles are compared, apart from 1.
constexpr int compared_ratios = 44;
constexpr double least_others = 0x1p-3;

// Cells of triangles that are looked at, and what may be left of one's excess, relative to the largest hockey-stick.
constexpr int most_triangles_looked_at = 1800;
constexpr double little_excess = 5e-3;

// Weights of means are multiples of 1 over this.
constexpr int weights = 10;

// Triangles between the two corners, by the angles of 4k.3 in degrees, and how much of what the corners tell beyond
// them they are made to tell by being enlarged: rounds that few states choose cost little, and cover more.
struct Between {
  double slant;
  double lean;
};
constexpr std::array between_corners = {Between{6, 0},  Between{6, 25},  Between{6, 50},  Between{4, 70},
                                        Between{30, 0}, Between{30, 35}, Between{28, 57}, Between{14, 68}};
constexpr double enlarged_share = 0.35;

// Angles of triangles in the circle of diameter 1: those with foot at most 0 are lean = 90 - |d|, and slant a share of
// it. accounting/loss_distribution/proofs.md, 4k.3
struct Cell {
  double least_lean;
  double most_lean;
  double least_share;
  double most_share;
};

BatchTriangle scaled(const BatchTriangle& triangle, double by) {
  return {triangle.side * by, triangle.foot * by, triangle.height * by};
}

BatchTriangle in_circle(double slant, double turn) {
  return {std::cos(slant), -std::sin(turn) / 2, (std::cos(turn) + std::sin(slant)) / 2};
}

// A symmetric matrix of two rows.
struct Gram {
  double first;
  double both;
  double second;
};

// The least matrix that is above both a matrix of this spectrum and its negative: the root of its square.
Gram absolute(const Gram& a) {
  const double determinant = std::abs(a.first * a.second - a.both * a.both);
  const double norm = a.first * a.first + 2 * a.both * a.both + a.second * a.second;
  const double root = std::sqrt(norm + 2 * determinant);
  if (root == 0) return {0, 0, 0};
  return {(a.first * a.first + a.both * a.both + determinant) / root, a.both * (a.first + a.second) / root,
          (a.second * a.second + a.both * a.both + determinant) / root};
}

// Of all triangles in a cell.
struct Bounds {
  BatchTriangle dominating;  // its Gram matrix is above theirs
  double side;               // at least theirs
  double to_x;               // at least |x - y|
  double to_other;           // at least |x' - y|
};

// accounting/loss_distribution/proofs.md, 4k.6
Bounds bounds_of(const Cell& cell) {
  using std::numbers::pi;
  const double least_slant = cell.least_share * cell.least_lean;
  const double most_slant = cell.most_share * cell.most_lean;
  const double slant = (least_slant + most_slant) / 2;
  const double turn = pi / 2 - (cell.least_lean + cell.most_lean) / 2;
  const double slants = (most_slant - least_slant) / 2 + 4 * unit;
  const double turns = (cell.most_lean - cell.least_lean) / 2 + 4 * unit;

  const double rise = std::sin(slant);
  const double side = std::cos(slant);
  const Gram by_slant =
      absolute({-2 * rise * side, -rise * std::sin(turn) / 2, (std::cos(turn) * side + rise * side) / 2});
  const Gram by_turn = absolute({0, side * std::cos(turn) / 2, -std::sin(turn) * rise / 2});
  const double curved_both = (slants + turns) * (slants + turns) / 4;
  const double curved_first = slants * slants + curved_both + 32 * unit;
  const double curved_second = slants * slants / 2 + slants * turns / 2 + turns * turns / 4 + curved_both + 32 * unit;
  const double square = side * side + slants * by_slant.first + turns * by_turn.first + curved_first;
  const double product = side * std::sin(turn) / 2 + slants * by_slant.both + turns * by_turn.both;
  const double median = (1 + 2 * std::cos(turn) * rise + rise * rise) / 4 + slants * by_slant.second +
                        turns * by_turn.second + curved_second;
  const double longest = std::sqrt(square);
  const double foot = product / longest;
  const double height = std::sqrt(std::max(0.0, median - foot * foot)) + 0x1p-24;

  const auto chord = [](double angle) { return std::sin(std::min(angle, pi / 2)) * (1 + 16 * unit); };
  return {{longest, -foot, height},
          std::cos(least_slant) * (1 + 16 * unit),
          chord(pi / 2 + (most_slant - cell.least_lean) / 2),
          chord((most_slant + cell.most_lean) / 2)};
}

std::array<Cell, 2> halves(const Cell& cell) {
  const double by_share = (cell.most_share - cell.least_share) * cell.most_lean;
  if (by_share > cell.most_lean - cell.least_lean) {
    const double middle = (cell.least_share + cell.most_share) / 2;
    return {Cell{cell.least_lean, cell.most_lean, cell.least_share, middle},
            Cell{cell.least_lean, cell.most_lean, middle, cell.most_share}};
  }
  const double middle = (cell.least_lean + cell.most_lean) / 2;
  return {Cell{cell.least_lean, middle, cell.least_share, cell.most_share},
          Cell{middle, cell.most_lean, cell.least_share, cell.most_share}};
}

// As large as makes it tell the said share of what a corner tells beyond it.
BatchTriangle enlarged(const BatchTriangle& triangle, double of_corner) {
  const double least = batch_chi_squared(triangle);
  const double wanted = least + enlarged_share * std::max(0.0, of_corner - least);
  double low = 1;
  double high = 1.25;
  for (int step = 0; step < 40; ++step) {
    const double middle = (low + high) / 2;
    (batch_chi_squared(scaled(triangle, middle)) < wanted ? low : high) = middle;
  }
  return scaled(triangle, low);
}

class Cover {
 public:
  Cover(double rate, double deviation, double farthest) : rate_(rate), distance_(1 / deviation) {
    const double step = std::log(farthest / least_others) / (compared_ratios - 1);
    kernels_.others.push_back(0);
    for (int i = 0; i < compared_ratios; ++i) kernels_.others.push_back(least_others * std::exp(step * i));
    kernels_.others.back() = farthest;
    const BatchTriangle corner{distance_, -distance_ / 2, 0};
    add(corner);
    for (const auto [slant, turn] : between_corners) {
      constexpr double degree = std::numbers::pi / 180;
      add(enlarged(scaled(in_circle(slant * degree, turn * degree), distance_), batch_chi_squared(corner)));
    }
    make_means();
  }

  BatchKernels run() {
    std::priority_queue<Looked> left;
    left.push(look({0, std::numbers::pi / 2, 0, 1}));
    for (int looked = 1; !left.empty() && left.top().badness > 0 && looked < most_triangles_looked_at; looked += 2) {
      heed_interruption();
      const Cell cell = left.top().cell;
      left.pop();
      for (const Cell& half : halves(cell)) left.push(look(half));
    }
    std::vector<double> excess(kernels_.others.size());
    for (; !left.empty(); left.pop())
      for (std::size_t i = 0; i < excess.size(); ++i) excess[i] = std::max(excess[i], left.top().excess[i]);
    for (BatchRound& round : kernels_.rounds)
      for (std::size_t i = 0; i < excess.size(); ++i) {
        round.above[i] += excess[i];
        round.below[i] += excess[i];
      }
    return std::move(kernels_);
  }

 private:
  struct Looked {
    Cell cell;
    double badness;  // of what is left: 0 where that is little
    std::vector<double> excess;
    friend bool operator<(const Looked& a, const Looked& b) { return a.badness < b.badness; }
  };

  BatchRound both_sides(const BatchTriangle& triangle) const {
    BatchRound values;
    for (const double others : kernels_.others) {
      values.above.push_back(hockey_stick(triangle, others));
      values.below.push_back(triangle.foot == 0 ? values.above.back() : hockey_stick(triangle.mirrored(), others));
    }
    return values;
  }

  double hockey_stick(const BatchTriangle& triangle, double others) const {
    return batch_hockey_stick(triangle, 1 + rate_ / (1 - rate_) * others, others);
  }

  void add(const BatchTriangle& triangle) {
    BatchRound values = both_sides(triangle);
    kernels_.rounds.push_back(values);
    if (triangle.foot == 0) return;
    std::swap(values.above, values.below);
    kernels_.rounds.push_back(std::move(values));
  }

  void make_means() {
    for (std::size_t a = 0; a < kernels_.rounds.size(); ++a)
      for (std::size_t b = 0; b < a; ++b)
        for (int weight = 0; weight <= weights; ++weight)
          means_.push_back(mean(kernels_.rounds[a], kernels_.rounds[b], weight));
  }

  static BatchRound mean(const BatchRound& a, const BatchRound& b, int weight) {
    const double share = static_cast<double>(weight) / weights;
    BatchRound mixed = a;
    for (std::size_t i = 0; i < mixed.above.size(); ++i) {
      mixed.above[i] += share * (b.above[i] - a.above[i]);
      mixed.below[i] += share * (b.below[i] - a.below[i]);
    }
    return mixed;
  }

  // The mean that leaves the least excess.
  Looked look(const Cell& cell) const {
    const Bounds bounds = bounds_of(cell);
    const BatchTriangle triangle = scaled(bounds.dominating, distance_);
    const auto in_line = [&](double to_y) {
      return BatchTriangle{bounds.side * distance_, (bounds.side / 2 - to_y) * distance_, 0};
    };
    BatchRound values;
    for (const double others : kernels_.others) {
      // At most 1 by definition, also where what bounds it is beyond doubles.
      values.above.push_back(
          std::min(1.0, std::min(hockey_stick(triangle, others), hockey_stick(in_line(bounds.to_x), others))));
      values.below.push_back(std::min(
          1.0, std::min(hockey_stick(triangle.mirrored(), others), hockey_stick(in_line(bounds.to_other), others))));
    }
    // No mean need do better than the definition, by which 1 more is enough.
    Looked best{cell, HUGE_VAL, std::vector<double>(values.above.size(), 1.0)};
    std::vector<double> excess(values.above.size());
    for (const BatchRound& mean : means_) {
      double badness = 0;
      for (std::size_t i = 0; i < excess.size() && badness < best.badness; ++i) {
        excess[i] = std::max({0.0, values.above[i] - mean.above[i], values.below[i] - mean.below[i]});
        badness = std::max(badness, excess[i] / kernels_.rounds.front().above[i] - little_excess);
      }
      if (badness < best.badness) best = {cell, badness, excess};
      if (badness <= 0) break;
    }
    return best;
  }

  double rate_;
  double distance_;
  BatchKernels kernels_;
  std::vector<BatchRound> means_;
};

}  // namespace

BatchKernels batch_kernels(double rate, double deviation, double farthest) {
  return Cover(rate, deviation, farthest).run();
}

}  // namespace dpbudget::loss_distribution
