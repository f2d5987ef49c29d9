#include "dpbudget/accounting/loss_distribution/releases/mixture.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "dpbudget/accounting/loss_distribution/pieces/whole_tails.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::loss_distribution {
namespace {

using numeric::unit;

// Up to here five terms of the series are all that a double holds.
constexpr double near = 0x1p-9;

// log(1 - share + share e^apart).
double log_mean_of(double share, double apart) {
  if (apart > near) return std::log1p(share * std::expm1(apart));
  const double other = 1 - share;
  const double both = share * other;
  const double skew = other - share;
  const double fourth = 1 - 6 * both;
  const double fifth = skew * (1 - 12 * both);
  return share * apart * (1 + other * apart / 2 * (1 + apart / 3 * (skew + apart / 4 * (fourth + apart / 5 * fifth))));
}

// log of the mean of e^barycentre under Q of both, without loss of digits where they are alike.
double joint_barycentre(const Piece& a, const Piece& b) {
  if (a.barycentre == b.barycentre) return a.barycentre;
  const Piece& low = a.barycentre < b.barycentre ? a : b;
  const Piece& high = a.barycentre < b.barycentre ? b : a;
  return low.barycentre + log_mean_of(high.q / (low.q + high.q), high.barycentre - low.barycentre);
}

bool overlap(const Piece& earlier, const Piece& later) {
  return later.low < earlier.high || (later.low == earlier.low && later.high == earlier.high);
}

// Masses that may have lost their digits count as the most that they can be.
Piece weighted(const Piece& piece, double probability) {
  return {piece.low, piece.high, std::max(least_mass, probability * piece.p),
          std::max(least_mass, probability * piece.q), piece.barycentre};
}

bool is_before(const Piece& a, const Piece& b) { return std::tie(a.low, a.high) < std::tie(b.low, b.high); }

}  // namespace

void Mixture::take(const Joined& next) {
  if (joined_.empty() || !overlap(joined_.back().piece, next.piece)) {
    joined_.push_back(next);
    return;
  }
  auto& [last, number] = joined_.back();
  farthest_ = std::max({farthest_, std::abs(last.barycentre), std::abs(next.piece.barycentre)});
  last = {last.low, std::max(last.high, next.piece.high), last.p + next.piece.p, last.q + next.piece.q,
          joint_barycentre(last, next.piece)};
  widest_ = std::max(widest_, last.high - last.low);
  most_ = std::max(most_, number += next.number);
}

void Mixture::add(double probability, const Pieces& component) {
  ++components_;
  const double most = probability * (1 + error_ + 4 * unit);
  const PieceErrors& errors = component.errors;
  rest_.errors.mass = std::max(rest_.errors.mass, errors.mass);
  rest_.errors.infinity = std::max(rest_.errors.infinity, errors.infinity);
  rest_.errors.barycentre = std::max(rest_.errors.barycentre, errors.barycentre);
  rest_.errors.loss = std::max(rest_.errors.loss, errors.loss);
  rest_.p_at_infinity += most * component.p_at_infinity;
  rest_.q_at_infinity += most * component.q_at_infinity;
  rest_.work += component.work;
  rest_.of_components += std::max(component.of_components, static_cast<double>(component.pieces.size()));
  // Among the others' pieces nothing may count for less than it is: all that is cut off goes to infinity.
  const CutOff cut_off = whole_tails(component);
  rest_.p_above += most * cut_off.p;
  rest_.q_below += most * cut_off.q;

  joined_.reserve(all_.size() + component.pieces.size());
  auto known = all_.begin();
  for (const Piece& piece : component.pieces) {
    for (; known != all_.end() && !is_before(piece, known->piece); ++known) take(*known);
    take({weighted(piece, probability), 1});
  }
  for (; known != all_.end(); ++known) take(*known);
  std::swap(all_, joined_);
  joined_.clear();
}

Pieces Mixture::pieces() && {
  Pieces result = std::move(rest_);
  result.pieces.reserve(all_.size());
  for (const Joined& joined : all_) result.pieces.push_back(joined.piece);
  const double number = std::max(components_, static_cast<double>(most_));
  const double relative = result.errors.mass + error_ + unit * (4 + number);
  result.errors.barycentre +=
      3 * relative * std::min(1.0, std::expm1(widest_)) + unit * number * (4 * widest_ + farthest_);
  result.errors.mass = relative * (1 + relative);
  result.errors.infinity =
      result.errors.infinity == 0 && result.p_at_infinity == 0 ? 0 : result.errors.infinity + unit * number;
  return result;
}

}  // namespace dpbudget::loss_distribution
