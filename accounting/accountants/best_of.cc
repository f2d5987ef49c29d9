#include "dpbudget/accounting/accountants/best_of.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "dpbudget/accounting/approximate/accountant.h"

namespace dpbudget {

namespace {

// Members that cost little are asked unless the bracket is as good as closed.
constexpr double closed = 1e-7;

// A lower end that is so much above that of the answer's own pair is said to be another's.
constexpr double noticeable = 1e-3;

// Puts both ends together, `best` being the one with the smaller upper end.
void take_lower(Bound& best, const Bound& other) {
  best.lower_source = other.lower_source.value_or(Source{other.accountant, other.theorems});
  best.witnesses.lower = other.witnesses.lower;
  // Its own notes may be about an upper end that is not the answer's.
  if (other.lower > best.lower * (1 + noticeable))
    best.notes.push_back(fmt::format("the lower end is by {}: {}", other.accountant, joined(other.theorems)));
  best.lower = std::max(best.lower, other.lower);
}

}  // namespace

double enough_closed(double tolerance) { return std::min(closed, tolerance); }

double enough_without(AccountantName name, double tolerance) {
  return name == AccountantName::loss_distribution ? tolerance : enough_closed(tolerance);
}

void merge(Bound& best, Bound other) {
  if (other.upper < best.upper) std::swap(best, other);
  if (other.lower > best.lower) take_lower(best, other);
}

void merge(DeltaBound& best, DeltaBound other) {
  // Deltas that a double cannot hold differ in their logarithms alone.
  if (other.log_upper < best.log_upper) std::swap(best, other);
  if (other.log_lower > best.log_lower) take_lower(best.bound, other.bound);
  best.log_lower = std::max(best.log_lower, other.log_lower);
}

bool is_narrow(const Bound& bound, double tolerance) {
  return std::isfinite(bound.upper) && bound.upper - bound.lower <= tolerance * bound.upper;
}

bool is_narrow(const DeltaBound& found, double tolerance) {
  return std::isinf(found.log_upper) || -std::expm1(found.log_lower - found.log_upper) <= tolerance;
}

bool is_resolved(const Bound& bound) { return bound.is_resolved; }

bool is_resolved(const DeltaBound& found) { return found.bound.is_resolved; }

bool is_one_sided(AccountantName name) {
  return name == AccountantName::approximate || name == AccountantName::renyi || name == AccountantName::concentrated;
}

int place_of(AccountantName name, const Meshes& meshes) {
  if (name == AccountantName::exact) return 0;
  if (name == AccountantName::approximate && (meshes.are_cheap || meshes.are_after_roots)) return 1;
  if (name == AccountantName::approximate && meshes.are_first) return 6;  // of shuffles others know more, and sooner
  if (name != AccountantName::loss_distribution) return is_one_sided(name) ? 5 : 3;
  if (meshes.are_cheap && !meshes.are_after_contours) return 2;
  return meshes.are_first || meshes.are_cheap ? 4 : 6;
}

bool is_beyond(AccountantName, const Bound&, const Meshes&) { return false; }

bool is_beyond(AccountantName name, const DeltaBound& found, const Meshes& meshes) {
  return name == AccountantName::approximate && meshes.are_first && meshes.are_best &&
         found.log_upper < approximate::log_least_delta;
}

}  // namespace dpbudget
