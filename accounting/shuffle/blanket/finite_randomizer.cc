#include "dpbudget/accounting/shuffle/blanket/finite_randomizer.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/numeric/extended.h"

namespace dpbudget::shuffle {
namespace {

using numeric::Extended;
namespace extended = numeric::extended;
using Row = std::vector<Extended>;

constexpr std::size_t most_inputs = 16;
constexpr std::size_t most_outputs = 64;

std::vector<Row> checked(const std::vector<std::vector<double>>& matrix) {
  require(2 <= matrix.size() && matrix.size() <= most_inputs, "matrix", matrix.size(), "a list of 2 to 16 rows");
  std::vector<Row> rows;
  for (const std::vector<double>& given : matrix) {
    require(!given.empty() && given.size() <= most_outputs && given.size() == matrix.front().size(), "matrix row",
            given.size(), "a list of as many probabilities as the first row has, 1 to 64");
    for (const double p : given) require(0 <= p && p <= 1, "matrix entry", p, "in [0, 1]");
    const Extended sum = std::accumulate(given.begin(), given.end(), Extended(0));
    require(extended::abs(sum - 1) <= 1e-9, "matrix row sum", static_cast<double>(sum), "1");
    Row row(given.begin(), given.end());
    for (Extended& p : row) p /= sum;
    rows.push_back(row);
  }
  return rows;
}

// The pair with rows x and other over b. The rest is what row `whole` has more than b: a sum without cancellation
// between different outputs.
BlanketPair pair_of(const Row& x, const Row& other, const Row& b, const Row& whole) {
  BlanketPair pair{.rest = 0, .atoms = {}, .stretches = {}};
  Extended rest = 0;
  Extended left_out = 0;
  for (std::size_t y = 0; y < b.size(); ++y) {
    rest += whole[y] - b[y];
    if (!(x[y] > 0 && other[y] > 0 && b[y] > 0)) {
      // Without mass under x it can only speak against x, without mass under the other one it gives x away.
      left_out += std::max(Extended(0), x[y] - other[y]);
      pair.left_out_blanket += static_cast<double>(b[y]);
      continue;
    }
    const LogRatios ratios{static_cast<double>(extended::log(x[y] / b[y])),
                           static_cast<double>(extended::log(other[y] / b[y]))};
    pair.atoms.push_back({static_cast<double>(b[y]), ratios, ratios, ratios});
  }
  pair.rest = static_cast<double>(rest);
  pair.left_out = static_cast<double>(left_out) * (1 + 0x1p-40);
  // Entries are right up to 2^-62 each, as are the logarithms of their ratios.
  if (rest > 0) pair.mass_error += static_cast<double>(0x1p-60 / rest);
  pair.mean_error = 0x1p-58;
  return pair;
}

}  // namespace

Randomizer finite(const std::vector<std::vector<double>>& matrix) {
  const std::vector<Row> rows = checked(matrix);
  Row least = rows.front();
  for (const Row& row : rows)
    for (std::size_t y = 0; y < row.size(); ++y) least[y] = std::min(least[y], row[y]);
  Randomizer randomizer{"Balle, Bell, Gascon, Nissim 2019, Lemma 5.3", {}};
  for (const Row& x : rows) {
    for (const Row& other : rows) {
      if (&x == &other) continue;
      randomizer.pairs.push_back(pair_of(x, other, least, rows.front()));
      for (const Row& z : rows) randomizer.witnesses.push_back(pair_of(x, other, z, z));
    }
  }
  return randomizer;
}

}  // namespace dpbudget::shuffle
