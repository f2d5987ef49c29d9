/// @file
/// The convergence bounds of Fig. 3 of Chang, Seif and Tandon (2022), term by term, and where their budget ends.
///
///     chang_convergence [PICTURE]     PICTURE, an .svg, .png or .pdf, shows Fig. 3

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/convergence/chang.h"
#include "dpbudget/fl/papers/chang_published.h"
#include "dpbudget/tools/cli/output/plot.h"

namespace dpbudget {
namespace {

const double sigma0 = std::sqrt(8.0);
constexpr std::uint64_t local_steps = 200;
constexpr std::uint64_t most_rounds = 700;
constexpr std::array<double, 2> betas = {0.998, 0.99998};

fl::ChangRun run(double beta) {
  return {.user_rate = 0.2,
          .record_rate = 0.2,
          .lipschitz = 2,
          .batch = 500,
          .sigma0 = sigma0,
          .beta = beta,
          .local_steps = local_steps,
          .hold = beta == 1 ? 0U : 200U,
          .rounds = most_rounds};
}

// Scheme 0 spends R sigma_0^-2 per local step: at one and the same order a scheme stops where its sum exceeds that.
std::uint64_t equal_order_stop(fl::ChangScheme scheme, double beta) {
  const double budget = fl::chang_schedule(fl::ChangScheme::per_round, run(1)).sum_inverse_variance(most_rounds);
  const fl::NoiseSchedule schedule = fl::chang_schedule(scheme, run(beta));
  std::uint64_t stop = 0;
  while (schedule.sum_inverse_variance(stop + 1) <= budget * (1 + 1e-12)) ++stop;
  return stop;
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
        figure3, decays ? schedule : fl::NoiseSchedule(fl::ConstantNoise{}, sigma0, local_steps), rounds);
  }
};

std::array<Curve, 3> curves() {
  const auto decaying = [](int scheme, fl::ChangScheme which) {
    const double beta = betas.at(static_cast<std::size_t>(scheme - 1));
    return Curve{scheme, fl::chang_schedule(which, run(beta)), equal_order_stop(which, beta)};
  };
  return {Curve{0, fl::chang_schedule(fl::ChangScheme::per_round, run(1)), most_rounds},
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
      "Fig. 3: convergence bounds (Corollaries 1 to 3) at the best learning rate, whose terms are those of\n"
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
    const auto steps = static_cast<double>(curve.stop * local_steps);
    const double equal_noise = std::sqrt(steps / all[0].schedule.sum_inverse_variance(most_rounds));
    const fl::NoiseSchedule constant(fl::ConstantNoise{}, equal_noise, local_steps);
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
    for (std::uint64_t rounds = 150; rounds <= most_rounds; rounds += 2) {
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
    const auto curves = dpbudget::curves();
    dpbudget::print_convergence(curves);
    if (count == 2) dpbudget::draw_convergence(curves, arguments[1]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "chang_convergence: {}\n", error.what());
    return 2;
  }
}
