/// @file
/// Whether what Stream::fill_normal draws is normal, by very many draws: `normal_goodness [DRAWS [SEED]]`, 10^10 unless
/// told otherwise, which takes some minutes on two cores. Chi-squared tests of 4096 equiprobable cells, of 64 x 64
/// cells for draws that follow each other, and of the tails beyond 3.5.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

#include "dpbudget/mechanisms/random.h"

namespace dpbudget::mechanisms {
namespace {

constexpr std::size_t cells = 4096;
constexpr std::size_t coarse = 64;  // for pairs
constexpr double farthest = 10;
constexpr std::array tails = {3.5, 4.0, 4.5, 5.0, 5.5, 6.0};

const boost::math::normal standard;

// The cell of a number: a table over a fine grid says where to begin.
class Cells {
 public:
  Cells() : borders_(cells, 2 * farthest), begin_(grid + 1) {
    for (std::size_t i = 1; i < cells; ++i)
      borders_[i - 1] = quantile(standard, static_cast<double>(i) / static_cast<double>(cells));
    for (std::size_t i = 0; i <= grid; ++i) {
      const double low = (static_cast<double>(i) - 1) / per_unit - farthest;  // what rounding puts there as well
      begin_[i] = static_cast<std::uint32_t>(std::ranges::upper_bound(borders_, low) - borders_.begin());
    }
  }

  std::size_t of(double number) const {
    std::size_t cell = begin_[static_cast<std::size_t>((number + farthest) * per_unit)];
    while (number >= borders_[cell]) ++cell;
    return cell;
  }

 private:
  static constexpr std::size_t grid = 1 << 16;
  static constexpr double per_unit = grid / (2 * farthest);
  std::vector<double> borders_;  // upper ones; the last is beyond all numbers
  std::vector<std::uint32_t> begin_;
};

struct Counts {
  std::vector<std::uint64_t> of_cell = std::vector<std::uint64_t>(cells);
  std::vector<std::uint64_t> of_pair = std::vector<std::uint64_t>(coarse * coarse);
  std::array<std::uint64_t, 2 * tails.size()> beyond{};  // negative ones first, each beyond its border
};

void count(const Cells& where, std::uint64_t seed, std::uint64_t client, std::uint64_t draws, Counts& counts) {
  std::array<double, 10000> buffer;
  for (std::uint64_t step = 0; step * buffer.size() < draws; ++step) {
    Stream({seed, Purpose::noise, 1, client, step}).fill_normal(buffer);
    std::size_t previous = 0;
    for (std::size_t i = 0; i < buffer.size(); ++i) {
      const double draw = buffer[i];
      const std::size_t cell = where.of(draw);
      ++counts.of_cell[cell];
      if (i % 2 == 1) ++counts.of_pair[previous / coarse * coarse + cell / coarse];
      previous = cell;
      for (std::size_t tail = 0; tail < tails.size() && std::abs(draw) > tails[tail]; ++tail)
        ++counts.beyond[tail + (draw > 0 ? tails.size() : 0)];
    }
  }
}

double sum_of(const std::vector<std::uint64_t>& counts) {
  double sum = 0;
  for (const std::uint64_t count : counts) sum += static_cast<double>(count);
  return sum;
}

void print_equiprobable(const char* name, const std::vector<std::uint64_t>& counts) {
  const double expected = sum_of(counts) / static_cast<double>(counts.size());
  double statistic = 0;
  for (const std::uint64_t count : counts) statistic += std::pow(static_cast<double>(count) - expected, 2) / expected;
  const auto degrees = static_cast<double>(counts.size() - 1);
  const double p = cdf(complement(boost::math::chi_squared(degrees), statistic));
  fmt::print("{}: chi-squared {:.1f} of {} degrees, p = {:.3g}\n", name, statistic, degrees, p);
}

void print_tails(const Counts& counts, double draws) {
  double statistic = 0;
  for (std::size_t i = 0; i < counts.beyond.size(); ++i) {
    const std::size_t tail = i % tails.size();
    const bool is_last = tail + 1 == tails.size();
    const double expected = draws * cdf(standard, -tails[tail]);
    const auto found = static_cast<double>(counts.beyond[i]);
    fmt::print("{:>5} {}: {} found, {:.1f} expected\n", i < tails.size() ? "below" : "above",
               i < tails.size() ? -tails[tail] : tails[tail], counts.beyond[i], expected);
    const double expected_between = is_last ? expected : expected - draws * cdf(standard, -tails[tail + 1]);
    const double between = is_last ? found : found - static_cast<double>(counts.beyond[i + 1]);
    statistic += std::pow(between - expected_between, 2) / expected_between;
  }
  // What lies between the tails is the cell that makes up for all others: no degree less.
  const auto degrees = static_cast<double>(counts.beyond.size());
  fmt::print("tails: chi-squared {:.1f} of {} degrees, p = {:.3g}\n", statistic, degrees,
             cdf(complement(boost::math::chi_squared(degrees), statistic)));
}

void run(double draws, std::uint64_t seed) {
  const Cells where;
  std::vector<Counts> counts(std::max(1U, std::thread::hardware_concurrency()));
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < counts.size(); ++i)
    threads.emplace_back([&, i] {
      count(where, seed, i, static_cast<std::uint64_t>(draws / static_cast<double>(counts.size())), counts[i]);
    });
  for (std::thread& thread : threads) thread.join();
  Counts all;
  for (const Counts& some : counts) {
    const auto add = [](auto& to, const auto& from) {
      std::ranges::transform(to, from, to.begin(), std::plus<std::uint64_t>());
    };
    add(all.of_cell, some.of_cell);
    add(all.of_pair, some.of_pair);
    add(all.beyond, some.beyond);
  }
  fmt::print("{} draws\n", sum_of(all.of_cell));
  print_equiprobable("cells", all.of_cell);
  print_equiprobable("pairs", all.of_pair);
  print_tails(all, sum_of(all.of_cell));
}

}  // namespace
}  // namespace dpbudget::mechanisms

int main(int count, char** arguments) {
  dpbudget::mechanisms::run(count > 1 ? std::strtod(arguments[1], nullptr) : 1e10,
                            count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 1);
}
