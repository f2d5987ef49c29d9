/// @file
/// Zheng, Chen, Long and Su (2021): the mu of Tables 1 to 3 as published, which is that of a central limit theorem (an
/// estimate), and beside it what the same runs provably have.

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>

#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/tradeoff/federated.h"

namespace dpbudget {
namespace {

struct Row {
  int table;
  double client_rate;  // does not enter the paper's mu
  double noise;        // on the sum of a batch over 2 C
  std::uint64_t batch;
  std::uint64_t records;
  std::uint64_t local_steps;
  std::uint64_t rounds;
  double published;
};

constexpr double delta = 1e-5;

// MNIST clients hold 600 records in batches of 16 or 8, CIFAR-10 clients 500 in batches of 16.
constexpr std::array<Row, 21> rows = {{
    {1, 1, 1, 16, 600, 38, 93, 2.71},        {1, 1, 0.9, 16, 600, 38, 83, 3.10},
    {1, 1, 0.75, 16, 600, 38, 64, 3.96},     {1, 0.5, 1, 16, 600, 38, 194, 3.92},
    {1, 0.5, 0.9, 16, 600, 38, 176, 4.51},   {1, 0.5, 0.75, 16, 600, 38, 127, 5.58},
    {1, 0.25, 1, 16, 600, 38, 386, 5.52},    {1, 0.25, 0.9, 16, 600, 38, 325, 6.13},
    {1, 0.25, 0.75, 16, 600, 38, 245, 7.75}, {2, 0.5, 1, 8, 600, 76, 266, 3.24},
    {2, 0.5, 1, 16, 600, 38, 194, 3.92},     {2, 0.5, 0.9, 8, 600, 76, 229, 3.64},
    {2, 0.5, 0.9, 16, 600, 38, 176, 4.51},   {2, 0.5, 0.75, 8, 600, 76, 191, 4.84},
    {2, 0.5, 0.75, 16, 600, 38, 127, 5.58},  {3, 1, 1, 16, 500, 32, 468, 6.70},
    {3, 1, 0.75, 16, 500, 32, 321, 9.77},    {3, 1, 0.5, 16, 500, 32, 207, 26.81},
    {3, 0.5, 1, 16, 500, 32, 904, 9.31},     {3, 0.5, 0.75, 16, 500, 32, 671, 14.13},
    {3, 0.5, 0.5, 16, 500, 32, 405, 37.51},
}};

Plan plan_of(const Row& row) {
  return {repeat(row.local_steps * row.rounds,
                 SampledWithoutReplacement{Rate(row.batch, row.records), Event(Gaussian{row.noise})}),
          Adjacency::replace_one};
}

bool print_row(const Row& row) {
  const double mu = tradeoff::federated_mu_max({{row.batch, row.records, row.noise, row.local_steps * row.rounds}});
  const Plan plan = plan_of(row);
  const double limit = make_accountant(AccountantName::gdp, plan).value()->epsilon(1, delta).value().upper;
  const Bound proven = make_accountant(AccountantName::loss_distribution, plan).value()->epsilon(1, delta).value();
  const bool is_as_published = std::round(mu * 100) == std::round(row.published * 100);
  // Half a unit of the last digit outwards, so that proven figures are on their side.
  fmt::print("{:>5}  {:>5}  {:>5}  {:>3}  {:>3}  {:>5}  {:>9.2f}  {:>8.4f}  {:>10.2f}  {:>8.2f}  {:>8.2f}{}\n",
             row.table, row.client_rate, row.noise, row.batch, row.records, row.local_steps * row.rounds, row.published,
             mu, limit, proven.upper + 0.005, proven.lower - 0.005, is_as_published ? "" : "  mu differs from print");
  return is_as_published;
}

}  // namespace
}  // namespace dpbudget

int main() {
  fmt::print(
      "PriFedSync, one client's records towards all others; replace_one, epsilon at delta 1e-5\n\n"
      "{:>5}  {:>5}  {:>5}  {:>3}  {:>3}  {:>5}  {:>9}  {:>8}  {:>10}  {:>8}  {:>8}\n{:-<92}\n",
      "table", "p", "noise", "B", "n", "steps", "published", "mu", "epsilon of", "proven,", "proven,", "");
  int as_published = 0;
  for (const auto& row : dpbudget::rows) as_published += dpbudget::print_row(row);
  fmt::print(
      "{:>53}  {:>8}  {:>10}  {:>8}  {:>8}\n\n"
      "{} of 21 values of mu as published. mu is that of a central limit theorem: an estimate. The proven epsilon "
      "composes\n"
      "C_(B/n)(G_(1/noise)) exactly; that function is no pair's, so the truth lies between the last two columns. How "
      "many\n"
      "clients take part in a round (p) enters neither: whoever does not take part may still receive what was "
      "released.\n",
      "", "(limit)", "mu (limit)", "at most", "at least", as_published);
}
