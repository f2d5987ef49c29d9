#include "dpbudget/fl/model/minimise.h"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "dpbudget/accounting/base/require.h"

namespace dpbudget::fl {
namespace {

void check_convex(const Model& model, double regularisation) {
  require(model.is_convex(), "model", model.name(), "convex: softmax, logistic, linear or hinge");
  require(0 < regularisation && std::isfinite(regularisation), "regularisation", regularisation,
          "positive and finite: it makes the objective strongly convex");
}

// A client's mean loss, without the regulariser, and its gradient.
double mean_loss(const Model& model, const Dataset& train, std::span<const std::uint32_t> rows,
                 const Vector& parameters, Model::Workspace& workspace, Vector& gradient) {
  model.clipped_gradient_sum(parameters, train, rows, std::numeric_limits<double>::infinity(), workspace, gradient);
  gradient /= static_cast<double>(rows.size());
  return model.loss(parameters, train, rows, workspace);
}

double regularised(double loss, double regularisation, const Vector& parameters, Vector& gradient) {
  gradient += regularisation * parameters;
  return loss + regularisation / 2 * parameters.squaredNorm();
}

}  // namespace

Minimum minimise(const Objective& objective, Vector start, double strong_convexity, double gap,
                 std::uint64_t most_steps) {
  require(0 < strong_convexity && std::isfinite(strong_convexity), "strong_convexity", strong_convexity,
          "positive and finite");
  require(0 < gap, "gap", gap, "positive");
  require(1 <= most_steps, "most_steps", most_steps, "at least 1");
  const auto gap_of = [&](const Vector& gradient) { return gradient.squaredNorm() / (2 * strong_convexity); };
  Vector at = start;  // where the next gradient step begins
  Vector gradient(at.size());
  double value = objective(at, gradient);
  require(std::isfinite(value) && gradient.allFinite(), "objective", value, "finite at the start, as its gradient");
  Minimum best{at, value, gap_of(gradient), 0};
  Vector last = std::move(start);
  Vector next_gradient(at.size());
  double step = 1 / std::max(strong_convexity, 1.0);
  double momentum = 1;
  // Momentum may lose ground for a while; what rounding leaves of a gradient stays for ever.
  constexpr std::uint64_t most_without_gain = 5000;
  std::uint64_t gained = 0;
  for (std::uint64_t count = 1; count <= most_steps && best.gap > gap && count - gained <= most_without_gain; ++count) {
    Vector next;
    double decrease = 0;
    // What rounding makes of the two values must not be taken for a lack of decrease.
    const double rounding = 1e-14 * std::abs(value);
    for (;; step /= 2) {
      next = at - step * gradient;
      if (next == at) return best;  // the step has vanished
      decrease = value - objective(next, next_gradient);
      if (decrease + rounding >= step / 2 * gradient.squaredNorm()) break;
    }
    best.steps = count;
    if (const double found = gap_of(next_gradient); found < best.gap) {
      best = {next, value - decrease, found, count};
      gained = count;
    }
    // Momentum that leads upwards is dropped.
    if (gradient.dot(next - last) > 0) {
      momentum = 1;
      at = next;
    } else {
      const double following = (1 + std::sqrt(1 + 4 * momentum * momentum)) / 2;
      at = next + (momentum - 1) / following * (next - last);
      momentum = following;
    }
    last = next;
    value = objective(at, gradient);
    step *= 1.05;
  }
  return best;
}

double global_loss(const Model& model, const FederatedData& data, const Vector& parameters, ClientWeights weights,
                   double regularisation, Vector& gradient) {
  const std::size_t clients = data.clients.size();
  Matrix gradients(static_cast<Eigen::Index>(clients), model.dimension());
  Vector losses(static_cast<Eigen::Index>(clients));
  tbb::enumerable_thread_specific<std::unique_ptr<Model::Workspace>> workspaces([&] { return model.workspace(); });
  tbb::parallel_for(std::size_t{0}, clients, [&](std::size_t client) {
    Vector own(model.dimension());
    const auto i = static_cast<Eigen::Index>(client);
    losses(i) = mean_loss(model, data.train, data.clients[client], parameters, *workspaces.local(), own);
    gradients.row(i) = own;
  });
  Vector shares(losses.size());
  for (std::size_t client = 0; client < clients; ++client)
    shares(static_cast<Eigen::Index>(client)) =
        weights == ClientWeights::equal ? 1 : static_cast<double>(data.clients[client].size());
  shares /= shares.sum();
  gradient = gradients.transpose() * shares;
  return regularised(shares.dot(losses), regularisation, parameters, gradient);
}

Minimum minimum(const Model& model, const FederatedData& data, ClientWeights weights, double regularisation,
                double gap) {
  check(data);
  check_convex(model, regularisation);
  return minimise(
      [&](const Vector& parameters, Vector& gradient) {
        return global_loss(model, data, parameters, weights, regularisation, gradient);
      },
      model.initial(0), regularisation, gap);
}

std::vector<Minimum> client_minima(const Model& model, const FederatedData& data, double regularisation, double gap) {
  check(data);
  check_convex(model, regularisation);
  std::vector<Minimum> minima(data.clients.size());
  tbb::enumerable_thread_specific<std::unique_ptr<Model::Workspace>> workspaces([&] { return model.workspace(); });
  tbb::parallel_for(std::size_t{0}, minima.size(), [&](std::size_t client) {
    Model::Workspace& workspace = *workspaces.local();
    minima[client] = minimise(
        [&](const Vector& parameters, Vector& gradient) {
          const double loss = mean_loss(model, data.train, data.clients[client], parameters, workspace, gradient);
          return regularised(loss, regularisation, parameters, gradient);
        },
        model.initial(0), regularisation, gap);
  });
  return minima;
}

}  // namespace dpbudget::fl
