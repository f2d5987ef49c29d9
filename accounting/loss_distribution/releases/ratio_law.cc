#include "dpbudget/accounting/loss_distribution/releases/ratio_law.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <span>

#include "dpbudget/accounting/base/interruption.h"
#include "dpbudget/accounting/base/require.h"

namespace dpbudget::loss_distribution {
namespace {

constexpr double rounding_unit = 0x1p-53;

// Products of masses, or of masses and ratios, below this are left out, so that no other underflows.
constexpr double least_product = 1e-180;

// A sum's cells: so many in a cell of the mesh to come, and at most so many in all.
constexpr double cells_in_cell = 4;
constexpr double most_ratio_cells = 0x1p22;
constexpr int fewest_bits = 4;
constexpr int most_bits = 40;

// Expectations of (x - W)_+ and (W - x)_+ at both ends of each cell: enough to choose a mesh by.
struct Excess {
  std::vector<double> below;  // E (high - W)_+
  std::vector<double> above;  // E (W - low)_+
};
Excess excess_of(const RatioCells& law) {
  const std::vector<RatioCell>& cells = law.cells;
  Excess excess{std::vector<double>(cells.size()), std::vector<double>(cells.size())};
  double mass = law.q_at_zero;
  double value = 0;
  double at = 0;
  for (std::size_t k = 0; k < cells.size(); ++k) {
    value += mass * (cells[k].high - at) + cells[k].q * (cells[k].high - cells[k].mean);
    mass += cells[k].q;
    at = cells[k].high;
    excess.below[k] = value;
  }
  mass = 0;
  value = law.p_at_infinity;
  at = cells.back().high;
  for (std::size_t k = cells.size(); k-- > 0;) {
    value += mass * (at - cells[k].low) + cells[k].q * (cells[k].mean - cells[k].low);
    mass += cells[k].q;
    at = cells[k].low;
    excess.above[k] = value;
  }
  return excess;
}

// Collects cells in the places that a mesh gives them.
class Mesher {
 public:
  Mesher(const RatioCells& law, Side side) : is_upper_(side == Side::upper) {
    result_.q_at_zero = law.q_at_zero;
    result_.p_at_infinity = law.p_at_infinity;
    result_.count = law.count;
    result_.errors = law.errors;
    result_.products = law.products;
  }

  // The cells [from, to) become one.
  void add(const std::vector<RatioCell>& cells, std::size_t from, std::size_t to) {
    most_ = std::max(most_, to - from);
    if (is_upper_)
      spread(cells, from, to);
    else
      merge(cells, from, to);
  }

  // What lies below the mesh, or above it.
  void add_below(const std::vector<RatioCell>& cells, std::size_t to) {
    if (to == 0) return;
    most_ = std::max(most_, to);
    if (!is_upper_) return merge(cells, 0, to);
    const double end = cells[to - 1].high;
    double at_end = 0;
    for (std::size_t k = 0; k < to; ++k) {
      result_.q_at_zero += cells[k].q * ((end - cells[k].mean) / end);
      at_end += cells[k].q * (cells[k].mean / end);
    }
    place(end, at_end);
  }
  void add_above(const std::vector<RatioCell>& cells, std::size_t from) {
    if (from == cells.size()) return;
    most_ = std::max(most_, cells.size() - from);
    if (!is_upper_) return merge(cells, from, cells.size());
    const double end = cells[from].low;
    double at_end = 0;
    for (std::size_t k = from; k < cells.size(); ++k) {
      at_end += cells[k].q;
      result_.p_at_infinity += cells[k].q * (cells[k].mean - end);
    }
    place(end, at_end);
  }

  RatioLaw take() {
    // Sums of so many nonnegative terms, each a few operations; a mean that is merged is a quotient of two.
    const double rounding = (2 * static_cast<double>(most_) + 24) * rounding_unit;
    result_.errors.mass += rounding;
    result_.errors.ratio += 2 * rounding;
    if (is_upper_) {
      result_.q_at_zero *= 1 + rounding;
      result_.p_at_infinity *= 1 + rounding;
    }
    return std::move(result_);
  }

 private:
  // Ratios come in increasing order; the end of one cell may be the start of the next.
  void place(double ratio, double mass) {
    if (!result_.ratio.empty() && ratio <= result_.ratio.back()) {
      result_.mass.back() += mass;
    } else {
      result_.ratio.push_back(ratio);
      result_.mass.push_back(mass);
    }
  }

  void spread(const std::vector<RatioCell>& cells, std::size_t from, std::size_t to) {
    const double low = cells[from].low;
    const double high = cells[to - 1].high;
    double at_low = 0;
    double at_high = 0;
    for (std::size_t k = from; k < to; ++k) {
      if (high == low) {
        at_low += cells[k].q;
        continue;
      }
      at_low += cells[k].q * ((high - cells[k].mean) / (high - low));
      at_high += cells[k].q * ((cells[k].mean - low) / (high - low));
    }
    place(low, at_low);
    if (high > low) place(high, at_high);
  }

  void merge(const std::vector<RatioCell>& cells, std::size_t from, std::size_t to) {
    double q = 0;
    double p = 0;
    for (std::size_t k = from; k < to; ++k) {
      q += cells[k].q;
      p += cells[k].q * cells[k].mean;
    }
    if (q > 0) place(std::clamp(p / q, cells[from].low, cells[to - 1].high), q);
  }

  bool is_upper_;
  std::size_t most_ = 0;
  RatioLaw result_;
};

// Cells of equal width on every octave, found by a number's leading bits. Many products from `least` on are added up in
// a table of all cells; few, and those below, are sorted into the cells that they need.
class Histogram {
 public:
  Histogram(double least, double greatest, int bits, double products) : shift_(52 - bits), first_(place(least)) {
    const std::uint64_t cells = place(greatest) - first_ + 1;
    if (products > few_for(cells)) bins_.resize(cells);
  }

  void add(double ratio, double q) {
    const double p = q * ratio;
    if (!(std::max(p, q) >= least_product)) {
      lost_ += 1;
      return;
    }
    if (bins_.empty() || place(ratio) < first_)
      sorted_.push_back({place(ratio), {q, p, 1}});
    else
      bins_[place(ratio) - first_] += {q, p, 1};
  }

  // The products of an outcome with several, of a sum that is at least `least`.
  void add_all(double ratio, double mass, std::span<const double> ratios, std::span<const double> masses,
               bool may_be_lost) {
    if (bins_.empty() || may_be_lost) {
      for (std::size_t j = 0; j < ratios.size(); ++j) add(ratio + ratios[j], mass * masses[j]);
      return;
    }
    // Nearly all of the time of random allocation is for these lines. What they read is held in registers; and since
    // neighbours are added to the same cell, each waiting for the one before, four quarters are gone through together.
    Bin* const bins = bins_.data();
    const std::uint64_t first = first_;
    const int shift = shift_;
    const double* const other = ratios.data();
    const double* const weight = masses.data();
    const auto add_one = [=](std::size_t j) {
      const double together = ratio + other[j];
      const double q = mass * weight[j];
      Bin& bin = bins[(std::bit_cast<std::uint64_t>(together) >> shift) - first];
      bin.q += q;
      bin.p += q * together;
      bin.terms += 1;
    };
    const std::size_t quarter = ratios.size() / 4;
    for (std::size_t j = 0; j < quarter; ++j) {
      add_one(j);
      add_one(j + quarter);
      add_one(j + 2 * quarter);
      add_one(j + 3 * quarter);
    }
    for (std::size_t j = 4 * quarter; j < ratios.size(); ++j) add_one(j);
  }

  // How many products were left out.
  double lost() const { return lost_; }

  // Also the most terms in one cell. Takes what was added.
  std::uint64_t cells_into(std::vector<RatioCell>& cells) {
    std::uint64_t most = 0;
    const auto put = [&](std::uint64_t place, const Bin& bin) {
      most = std::max(most, bin.terms);
      const double low = end(place);
      const double high = end(place + 1);
      cells.push_back({low, high, bin.q, std::clamp(bin.p / bin.q, low, high)});
    };
    std::ranges::stable_sort(sorted_, {}, &Placed::place);
    for (std::size_t k = 0; k < sorted_.size();) {
      const std::uint64_t place = sorted_[k].place;
      Bin bin;
      for (; k < sorted_.size() && sorted_[k].place == place; ++k) bin += sorted_[k].bin;
      put(place, bin);
    }
    for (std::size_t k = 0; k < bins_.size(); ++k)
      if (bins_[k].terms > 0) put(first_ + k, bins_[k]);
    return most;
  }

 private:
  struct Bin {
    double q = 0;
    double p = 0;
    std::uint64_t terms = 0;

    Bin& operator+=(const Bin& other) {
      q += other.q;
      p += other.p;
      terms += other.terms;
      return *this;
    }
  };
  struct Placed {
    std::uint64_t place;
    Bin bin;
  };

  // To sort a product takes as long as to clear and read some dozen cells.
  static double few_for(std::uint64_t cells) { return static_cast<double>(cells) / 16; }

  std::uint64_t place(double ratio) const { return std::bit_cast<std::uint64_t>(ratio) >> shift_; }
  double end(std::uint64_t place) const { return std::bit_cast<double>(place << shift_); }

  int shift_;
  std::uint64_t first_;
  std::vector<Bin> bins_;       // of every place from the first
  std::vector<Placed> sorted_;  // below the first, or wherever there is no table
  double lost_ = 0;
};

// Outcomes of a law that are looked at together: the cells of their products with as many others stay in the cache.
constexpr std::size_t block = 64;

struct Range {
  std::size_t begin;
  std::size_t end;
};

double least_mass_in(const RatioLaw& law, const Range& range) {
  return *std::min_element(law.mass.begin() + static_cast<std::ptrdiff_t>(range.begin),
                           law.mass.begin() + static_cast<std::ptrdiff_t>(range.end));
}

// The products of an outcome of `a` and one of `b`; of one and the same law those of each two, twice, and of none with
// itself.
void add_block(Histogram& histogram, const RatioLaw& a, const Range& of_a, const RatioLaw& b, const Range& of_b) {
  const bool is_same = &a == &b;
  const bool may_be_lost = !(least_mass_in(a, of_a) * least_mass_in(b, of_b) >= 2 * least_product);
  for (std::size_t i = of_a.begin; i < of_a.end; ++i) {
    const std::size_t begin = is_same ? std::max(of_b.begin, i + 1) : of_b.begin;
    if (begin >= of_b.end) continue;
    const std::size_t count = of_b.end - begin;
    histogram.add_all(a.ratio[i], is_same ? 2 * a.mass[i] : a.mass[i], std::span(b.ratio).subspan(begin, count),
                      std::span(b.mass).subspan(begin, count), may_be_lost);
  }
}

double total_mass(const RatioLaw& law) {
  double total = law.q_at_zero;
  for (const double mass : law.mass) total += mass;
  return total;
}

// Deviation relative to the mean, roughly; less than 1 where it is narrow.
double relative_deviation(const RatioLaw& law) {
  double excess = law.p_at_infinity;
  for (std::size_t i = 0; i < law.ratio.size(); ++i) excess += law.mass[i] * std::max(0.0, law.ratio[i] - law.count);
  return std::min(1.0, excess / law.count / variation_of_normal_law);
}

// Bits of a number that a cell of the sum keeps.
int bits_for(const RatioLaw& a, const RatioLaw& b, double width, double octaves) {
  const double n = a.count + b.count;
  const double deviation = std::hypot(relative_deviation(a) * a.count / n, relative_deviation(b) * b.count / n);
  int bits = fewest_bits;
  while (bits < most_bits && std::ldexp(width * deviation, bits) < cells_in_cell) ++bits;
  // An octave's leading bits are of 2^bits numbers, no closer in their logarithms anywhere than 1.5 times that.
  while (bits > fewest_bits && std::ldexp(1.5 * octaves, bits) + 2 > most_ratio_cells) --bits;
  return bits;
}

// With those that led to `a`, of which `b` may be a part.
double products_of(const RatioLaw& a, const RatioLaw& b) {
  const double pairs = static_cast<double>(a.ratio.size()) * static_cast<double>(b.ratio.size());
  return a.products + (&a == &b ? pairs / 2 : pairs);
}

}  // namespace

RatioLaw on_mesh(const RatioCells& law, const RatioMesh& mesh, Side side) {
  const std::vector<RatioCell>& cells = law.cells;
  const Excess excess = excess_of(law);
  const double tail = mesh.tail * law.count;
  std::size_t first = 0;
  while (first + 1 < cells.size() &&
         excess.below[first] - law.q_at_zero * cells[first].high <= mesh.tail * cells[first].high)
    ++first;
  std::size_t last = cells.size();
  while (last > first + 1 && excess.above[last - 1] - law.p_at_infinity <= tail) --last;
  Mesher mesher(law, side);
  mesher.add_below(cells, first);
  // A cell raises E (W - x)_+ by at most a quarter of its mass and width, and the divergences by that over the count,
  // or the other way round over x.
  const auto near_one = [&](const RatioCell& cell) { return std::min(law.count, cell.low); };
  const double share = mesh.width * mesh.width;
  for (std::size_t from = first, to = first; from < last; from = to) {
    double q = cells[from].q;
    for (to = from + 1; to < last; ++to) {
      q += cells[to].q;
      const double resolved =
          std::max(std::min(excess.above[from], excess.below[to]), mesh.floor * near_one(cells[from]));
      const double allowed = share * resolved;
      if (!(q * (cells[to].high - cells[from].low) <= allowed)) break;
    }
    mesher.add(cells, from, to);
  }
  mesher.add_above(cells, last);
  return mesher.take();
}

RatioCells sum(const RatioLaw& a, const RatioLaw& b, const RatioMesh& mesh, Side side) {
  // What is 0 in one law has the other's ratios, which may be few and far below.
  const double least = a.ratio.front() + b.ratio.front();
  const double greatest = a.ratio.back() + b.ratio.back();
  const double octaves = std::log2(greatest / least);
  if (!(octaves < 2000)) throw Unsupported("the losses of what is dealt are beyond what sums of their ratios hold");
  const bool is_same = &a == &b;
  const double products = static_cast<double>(a.ratio.size() + 1) * static_cast<double>(b.ratio.size() + 1);
  Histogram histogram(least, greatest, bits_for(a, b, mesh.width, octaves), is_same ? products / 2 : products);
  for (std::size_t first_i = 0; first_i < a.ratio.size(); first_i += block) {
    const std::size_t end_i = std::min(first_i + block, a.ratio.size());
    for (std::size_t first_j = is_same ? first_i : 0; first_j < b.ratio.size(); first_j += block) {
      heed_interruption();
      const std::size_t end_j = std::min(first_j + block, b.ratio.size());
      add_block(histogram, a, {first_i, end_i}, b, {first_j, end_j});
    }
  }
  for (std::size_t i = 0; i < a.ratio.size(); ++i) {
    if (is_same) histogram.add(a.ratio[i] + a.ratio[i], a.mass[i] * a.mass[i]);
    if (b.q_at_zero > 0) histogram.add(a.ratio[i], a.mass[i] * b.q_at_zero);
  }
  if (a.q_at_zero > 0)
    for (std::size_t j = 0; j < b.ratio.size(); ++j) histogram.add(b.ratio[j], b.mass[j] * a.q_at_zero);

  RatioCells result{.cells = {},
                    .q_at_zero = a.q_at_zero * b.q_at_zero,
                    .p_at_infinity = a.p_at_infinity * total_mass(b) + b.p_at_infinity * total_mass(a),
                    .count = a.count + b.count,
                    .errors = {},
                    .products = products_of(a, b)};
  const double terms = static_cast<double>(histogram.cells_into(result.cells)) + 8;
  if (result.cells.empty()) throw Unsupported("the losses of what is dealt are too far apart for sums of their ratios");
  // accounting/loss_distribution/proofs.md, 4c.5
  result.errors = {.mass = a.errors.mass + b.errors.mass + terms * rounding_unit,
                   .ratio = std::max(a.errors.ratio, b.errors.ratio) + 4 * terms * rounding_unit};
  const double points = static_cast<double>(std::max(a.ratio.size(), b.ratio.size())) + 16;
  if (side == Side::upper) {
    result.q_at_zero = (result.q_at_zero + histogram.lost() * least_product) * (1 + 4 * rounding_unit);
    result.p_at_infinity = (result.p_at_infinity + histogram.lost() * least_product) * (1 + points * rounding_unit);
  } else {
    result.q_at_zero *= 1 - 4 * rounding_unit;
    result.p_at_infinity *= 1 - points * rounding_unit;
  }
  return result;
}

double total_variation(const RatioCells& law) {
  double excess = law.p_at_infinity;
  for (const RatioCell& cell : law.cells) excess += cell.q * std::max(0.0, cell.mean - law.count);
  return excess / law.count;
}

}  // namespace dpbudget::loss_distribution
