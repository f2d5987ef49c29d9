/// @file
/// Lists of pairs of numbers in a plan.
#pragma once

#include <vector>

namespace dpbudget {

/// What a table is of: how likely shifts are, by how much they shift; orders, Renyi divergences.
struct TableRow {
  double first;
  double second;
  friend bool operator==(const TableRow&, const TableRow&) = default;
};

/// Rows in the order in which they are written.
using Table = std::vector<TableRow>;

/// Rows that a table may have.
inline constexpr std::size_t most_rows = 256;

/// How far probabilities may add up to more than 1: decimal fractions do.
inline constexpr double rounding_of_probabilities = 1e-12;

namespace ranges {

/// @throws InvalidArgument unless `rows` are 1 to `most_rows` of a probability in [0, 1] and an offset in [0, inf), and
///         the probabilities add up to 1 at most, but for `rounding_of_probabilities`
void shifts(const Table& rows);

/// @throws InvalidArgument unless `rows` are 1 to `most_rows` of an order in (1, inf), increasing, and an epsilon in
///         [0, inf)
void divergences(const Table& rows);

}  // namespace ranges
}  // namespace dpbudget
