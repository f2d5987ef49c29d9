/// @file
/// Chang, Seif and Tandon (2022): the privacy figures and stopping rounds they print, as their printed theorems give
/// them here (estimates), what is proven for the same runs, and the convergence bounds of their Fig. 3.
///
///     chang_tables [PICTURE]     PICTURE, an .svg, .png or .pdf, shows Fig. 3

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/sequence/accountant.h"
#include "dpbudget/fl/convergence/chang.h"
#include "dpbudget/fl/papers/chang_published.h"
#include "dpbudget/fl/schedule/rounds.h"
#include "dpbudget/tools/cli/output/plot.h"

namespace dpbudget {
namespace {

constexpr double delta = 1e-5;
const double sigma0 = std::sqrt(8.0);

struct Setting {
  std::string_view name;
  std::uint64_t local_steps;
  std::uint64_t rounds;
  double lipschitz;  // stated for Fig. 3 alone; 1 is assumed for section IV
  double printed_epsilon;
  double near_order;  // the order at which log(1/delta) / (order - 1) is nearly what is printed
  std::array<double, 2> betas;
  std::array<std::string_view, 2> printed_stops;

  fl::ChangRun run(double beta) const {
    return {.user_rate = 0.2,
            .record_rate = 0.2,
            .lipschitz = lipschitz,
            .batch = 500,
            .sigma0 = sigma0,
            .beta = beta,
            .local_steps = local_steps,
            .hold = beta == 1 ? 0U : 200U,
            .rounds = rounds};
  }
};

constexpr std::array<Setting, 2> settings = {{
    {"section IV", 50, 600, 1, 7.6769, 2.5, {0.998, 0.99992}, {"497", "428"}},
    {"Fig. 3", 200, 700, 2, 11.5147, 2, {0.998, 0.99998}, {"about 500", "about 400"}},
}};

void print_epsilons() {
  fmt::print(
      "epsilon of scheme 0 at delta 1e-5 (sigma_0^2 = 8, p = q = 0.2, B = 500)\n\n{:<12}  {:>8}  {:>22}  {:>18}\n",
      "setting", "printed", "theorem, best order", "theorem, order");
  for (const Setting& setting : settings) {
    const fl::ChangRun run = setting.run(1);
    const Bound best = fl::chang_epsilon(fl::ChangScheme::per_round, run, delta);
    const double near = fl::chang_epsilon_at(fl::ChangScheme::per_round, run, setting.near_order, delta);
    fmt::print("{:<12}  {:>8}  {:>22.4f}  {:>9.4f} at {:>5}\n", setting.name, setting.printed_epsilon, best.upper, near,
               setting.near_order);
  }
  fmt::print(
      "\nNeither is reproduced by the printed theorem; both are within 0.02 of an order that was not optimised.\n\n");
}

// Scheme 0 spends R sigma_0^-2 per local step: at one and the same order a scheme stops where its sum exceeds that.
std::uint64_t equal_order_stop(const Setting& setting, fl::ChangScheme scheme, double beta) {
  const double budget =
      fl::chang_schedule(fl::ChangScheme::per_round, setting.run(1)).sum_inverse_variance(setting.rounds);
  const fl::NoiseSchedule schedule = fl::chang_schedule(scheme, setting.run(beta));
  std::uint64_t stop = 0;
  while (schedule.sum_inverse_variance(stop + 1) <= budget * (1 + 1e-12)) ++stop;
  return stop;
}

void print_stops() {
  fmt::print("last round inside scheme 0's budget, at equal orders\n\n{:<12}  {:>6}  {:>9}  {:>8}  {:>22}\n", "setting",
             "scheme", "printed", "computed", "range of beta ends at");
  for (const Setting& setting : settings)
    for (const int scheme : {1, 2}) {
      const auto which = scheme == 1 ? fl::ChangScheme::per_round : fl::ChangScheme::per_step;
      const double beta = setting.betas.at(static_cast<std::size_t>(scheme - 1));
      const auto beyond = fl::chang_first_round_beyond_beta(which, setting.run(beta));
      fmt::print("{:<12}  {:>6}  {:>9}  {:>8}  {:>22}\n", setting.name, scheme,
                 setting.printed_stops.at(static_cast<std::size_t>(scheme - 1)), equal_order_stop(setting, which, beta),
                 beyond ? fmt::format("{}", *beyond - 1) : "never");
    }
  fmt::print("\nNo printed stop is reproduced, and each lies beyond the theorem's own range of beta.\n\n");
}

// With the noise measured against 2 L / B, as a plan measures it, and participation in the open.
void print_proven() {
  fmt::print("proven epsilon of scheme 0, towards server and third party\n\n");
  for (const Setting& setting : settings) {
    const double multiplier = sigma0 * 500 / (2 * setting.lipschitz);
    const fl::RoundRecipe recipe{Rate(8, 40),
                                 SampledWithoutReplacement{Rate(500, 2500), Event(Gaussian{Real::unknown()})}};
    const auto rounds = fl::scheduled_rounds({fl::ConstantNoise{}, multiplier, setting.local_steps}, recipe,
                                             Adjacency::replace_one, setting.rounds, 1e-3);
    const Bound bound =
        sequence::make_accountant(AccountantName::best, rounds, delta).value()->epsilon(setting.rounds).value();
    // Half a unit of the last digit is added, so that the figure is rounded up.
    fmt::print("{:<12}  noise multiplier {:>7.2f} (L = {}): at most {:.5f}, printed {}\n", setting.name, multiplier,
               setting.lipschitz, bound.upper + 0.000005, setting.printed_epsilon);
  }
}

// Fig. 3, whose gradient variance is not printed; 1 makes it two millionths of scheme 0's noise.
constexpr fl::ChangProblem figure3 = {.distance = 1,
                                      .control_error = 1,
                                      .gradient_variance = 1,
                                      .batch = 500,
                                      .users = 40,
                                      .participants = 8,
                                      .server_step = 2,
                                      .smoothness = 2};

// One of the curves of Fig. 3.
struct Curve {
  int scheme;
  fl::NoiseSchedule schedule;
  std::uint64_t stop;  // last round inside scheme 0's budget of 700 rounds

  // The figure's decay begins after round 200; until then all schemes are scheme 0.
  fl::ChangBound at(std::uint64_t rounds) const {
    const bool decays = 200 <= rounds;
    return fl::chang_convergence(
        figure3, decays ? schedule : fl::NoiseSchedule(fl::ConstantNoise{}, sigma0, settings[1].local_steps), rounds);
  }
};

std::array<Curve, 3> curves() {
  const Setting& setting = settings[1];
  const auto decaying = [&](int scheme, fl::ChangScheme which) {
    const double beta = setting.betas.at(static_cast<std::size_t>(scheme - 1));
    return Curve{scheme, fl::chang_schedule(which, setting.run(beta)), equal_order_stop(setting, which, beta)};
  };
  return {Curve{0, fl::chang_schedule(fl::ChangScheme::per_round, setting.run(1)), setting.rounds},
          decaying(1, fl::ChangScheme::per_round), decaying(2, fl::ChangScheme::per_step)};
}

// The bound at its best learning rate, term by term, and Theorem 3 without the corollaries' simplification.
void print_bound(const Curve& curve, std::uint64_t rounds) {
  const fl::ChangBound bound = curve.at(rounds);
  const double eta = bound.best_rate;
  const double distance = figure3.distance * figure3.distance / (eta * static_cast<double>(rounds));
  fmt::print("{:>6}  {:>6}  {:>9.6f}  {:>9.6f}  {:>9.6f}  {:>9.6f}  {:>9.6f}  {:>9.6f}  {:>10}  {:>6}\n", rounds,
             curve.scheme, distance, eta * bound.noise, eta * bound.control, eta * bound.sampling, bound.total,
             fl::chang_theorem3(figure3, curve.schedule, rounds).total, eta <= bound.rate_cap ? "yes" : "no",
             rounds <= curve.stop ? "yes" : "no");
}

void print_convergence(const std::array<Curve, 3>& all) {
  fmt::print(
      "\nFig. 3: convergence bounds (Corollaries 1 to 3) at the best learning rate, whose terms are those of\n"
      "distance, noise, control variates and sampling\n\n"
      "{:>6}  {:>6}  {:>9}  {:>9}  {:>9}  {:>9}  {:>9}  {:>9}  {:>10}  {:>6}\n",
      "rounds", "scheme", "distance", "noise", "control", "sampling", "total", "theorem 3", "eta <= cap", "budget");
  for (const std::uint64_t rounds : {25U, 100U, 200U, 300U, 400U, 500U, 600U, 700U})
    for (const Curve& curve : all) print_bound(curve, rounds);
  // At one budget, the sum of 1 / sigma^2, the mean of sigma^2 over given rounds is least when all are equal (Jensen).
  fmt::print(
      "\nwhere the budget of scheme 0's 700 rounds ends, at equal orders; constant noise of that budget and as many\n"
      "rounds; and the round from which scheme 0 is as low as the scheme\n\n{:>6}  {:>10}  {:>9}  {:>9}  {:>8}\n",
      "scheme", "last round", "total", "constant", "scheme 0");
  for (const Curve& curve : all) {
    const double reached = curve.at(curve.stop).total;
    const auto steps = static_cast<double>(curve.stop * settings[1].local_steps);
    const double equal_noise = std::sqrt(steps / all[0].schedule.sum_inverse_variance(settings[1].rounds));
    const fl::NoiseSchedule constant(fl::ConstantNoise{}, equal_noise, settings[1].local_steps);
    std::uint64_t equal = 1;
    while (all[0].at(equal).total > reached) ++equal;
    fmt::print("{:>6}  {:>10}  {:>9.6f}  {:>9.6f}  {:>8}\n", curve.scheme, curve.stop, reached,
               fl::chang_convergence(figure3, constant, curve.stop).total, equal);
  }
}

void draw_convergence(const std::array<Curve, 3>& all, const std::string& file) {
  tools::Plot plot;
  plot.title = "Convergence bounds, dashed beyond the budget";
  plot.x_label = "rounds";
  plot.y_label = "bound on E[f(average iterate)] - f(w*)";
  for (const Curve& curve : all) {
    tools::Line inside;
    inside.title = fmt::format("scheme {}", curve.scheme);
    tools::Line beyond;
    beyond.stroke = tools::Stroke::dashed;
    beyond.continues = true;
    for (std::uint64_t rounds = 150; rounds <= settings[1].rounds; rounds += 2) {
      tools::Line& line = rounds <= curve.stop ? inside : beyond;
      line.x.push_back(static_cast<double>(rounds));
      line.y.push_back(curve.at(rounds).total);
    }
    plot.lines.push_back(std::move(inside));
    if (!beyond.x.empty()) plot.lines.push_back(std::move(beyond));
  }
  tools::write_plot(plot, file);
}

}  // namespace
}  // namespace dpbudget

int main(int count, char** arguments) {
  try {
    if (count > 2) throw dpbudget::InvalidArgument("more than one argument, but there is only PICTURE");
    if (count == 2) dpbudget::tools::check_plot_file(arguments[1]);
    dpbudget::print_epsilons();
    dpbudget::print_stops();
    dpbudget::print_proven();
    const auto curves = dpbudget::curves();
    dpbudget::print_convergence(curves);
    if (count == 2) dpbudget::draw_convergence(curves, arguments[1]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "chang_tables: {}\n", error.what());
    return 2;
  }
}
