#include "dpbudget/accounting/loss_distribution/releases/shuffled_zeros.h"

#include <algorithm>
#include <cmath>

#include "dpbudget/accounting/loss_distribution/pieces/cut.h"
#include "dpbudget/accounting/loss_distribution/pieces/loss_cells.h"
#include "dpbudget/accounting/loss_distribution/releases/randomized_response.h"
#include "dpbudget/accounting/numeric/binomial.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::loss_distribution {

namespace {

using numeric::unit;

// How many of all reports are ones: y, of which the others' are y or y - 1.
class OnesAmongReports {
 public:
  OnesAmongReports(double local_epsilon, double reports)
      : local_epsilon_(local_epsilon),
        others_(reports - 1),
        likely_(1 / (1 + std::exp(-local_epsilon))),
        unlikely_(1 / (1 + std::exp(local_epsilon))),
        odds_(std::exp(local_epsilon)),
        ones_(numeric::Binomial::of_odds(others_, local_epsilon).reversed()) {}

  // A bound on the chance that |loss| is larger: the loss increases in y, so that y is far from the mean there.
  double outside(double loss) const {
    // The farthest numbers of ones with a loss within +-loss, by inverting loss_at.
    const double e = std::exp(loss);
    const double r = (likely_ * e - unlikely_) / (likely_ - unlikely_ * e);
    if (!(r > 0)) return 0;
    const double high = std::floor(r * (others_ + 1) / (r + odds_)) - 1;
    const double low = std::ceil((others_ + 1) / (1 + r * odds_)) + 1;
    return tail(high, 1) + tail(low - 1, -1);
  }

  // All y from the mode on, up and down, until what is left is too little or too far.
  void add_to(LossCells& cells) const {
    const double centre = ones_.mode();
    const double at_centre = std::exp(ones_.log_mass(centre));
    walk(cells, centre, 1, at_centre);
    if (centre > 0) walk(cells, centre - 1, -1, at_centre * ratio(centre));
  }

  // Of a mass that `add_to` came to, relatively.
  double error() const {
    const double steps = std::min(others_, 80 * ones_.deviation() + 80);
    return 2 * (ones_.log_mass_error(1) + unit * (64 + 2 * steps));
  }

 private:
  // P(others' ones = y - 1) / P(others' ones = y).
  double ratio(double y) const { return y / (others_ - y + 1) * odds_; }

  double loss_at(double y) const {
    if (y == 0) return -local_epsilon_;
    if (y == others_ + 1) return local_epsilon_;
    const double r = ratio(y);
    return std::log((likely_ * r + unlikely_) / (unlikely_ * r + likely_));
  }

  // A binomial's tail from there on, in the direction of `step`, is within Chernoff's bound.
  double tail(double from, double step) const {
    const double y = std::clamp(from, 0.0, others_);
    const double next = y + step;
    const double at_end = std::exp(ones_.log_mass(y)) * (1 + 1e-9);
    if (next < 0 || next > others_) return at_end;
    const double r = step > 0 ? 1 / ratio(next) : ratio(y);
    return r < 1 ? at_end / (1 - r) : 1;
  }

  // `mass` is that of `from` ones among the others; for all reports it is of one less.
  void walk(LossCells& cells, double from, double step, double mass) const {
    for (double y = from; 0 <= y && y <= others_ + 1; y += step) {
      const double loss = loss_at(y);
      if (std::abs(loss) > cells.end()) return;
      if (mass < least_mass) return cells.leave_out(others_ + 1);
      if (y == others_ + 1) return cells.add(loss, mass * likely_, mass * unlikely_);
      const double r = ratio(y);
      cells.add(loss, mass * (likely_ * r + unlikely_), mass * (unlikely_ * r + likely_));
      if (step < 0) {
        mass *= r;
      } else if (y < others_) {
        mass /= ratio(y + 1);
      }
    }
  }

  double local_epsilon_;
  double others_;
  double likely_;
  double unlikely_;
  double odds_;
  numeric::Binomial ones_;
};

}  // namespace

Pieces shuffled_zeros_pieces(double local_epsilon, double reports, const Cut& cut) {
  check(cut);
  if (reports == 1) return randomized_response_pieces(local_epsilon, 2);
  const OnesAmongReports ones(local_epsilon, reports);
  LossCells cells(local_epsilon, cut, [&](double loss) { return ones.outside(loss); });
  ones.add_to(cells);
  return cells.pieces(ones.error());
}

}  // namespace dpbudget::loss_distribution
