#include "dpbudget/fl/model/heterogeneity.h"

#include <fmt/format.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "dpbudget/accounting/base/require.h"

namespace dpbudget::fl {
namespace {

void check_length(const std::string& name, const Vector& parameters, const Model& model) {
  require(parameters.size() == model.dimension(), name, fmt::format("{} long", parameters.size()),
          fmt::format("as long as the model's {} parameters", model.dimension()));
}

void check_regularisation(double regularisation) {
  require(0 <= regularisation && std::isfinite(regularisation), "regularisation", regularisation,
          "finite and not negative");
}

// Calls visit(client, workspace) for every client, on any thread.
template <class Visit>
void for_each_client(const Model& model, const FederatedData& data, const Visit& visit) {
  tbb::enumerable_thread_specific<std::unique_ptr<Model::Workspace>> workspaces([&] { return model.workspace(); });
  tbb::parallel_for(std::size_t{0}, data.clients.size(),
                    [&](std::size_t client) { visit(client, *workspaces.local()); });
}

Vector weights_of(const FederatedData& data, ClientWeights weights) {
  Vector shares(static_cast<Eigen::Index>(data.clients.size()));
  for (std::size_t client = 0; client < data.clients.size(); ++client)
    shares(static_cast<Eigen::Index>(client)) =
        weights == ClientWeights::equal ? 1 : static_cast<double>(data.clients[client].size());
  return shares / shares.sum();
}

// Row i is the gradient of client i's mean loss.
Matrix client_gradients(const Model& model, const FederatedData& data, const Vector& parameters) {
  Matrix gradients(static_cast<Eigen::Index>(data.clients.size()), model.dimension());
  for_each_client(model, data, [&](std::size_t client, Model::Workspace& workspace) {
    const auto& rows = data.clients[client];
    Vector sum(model.dimension());
    model.clipped_gradient_sum(parameters, data.train, rows, std::numeric_limits<double>::infinity(), workspace, sum);
    gradients.row(static_cast<Eigen::Index>(client)) = sum / static_cast<double>(rows.size());
  });
  return gradients;
}

}  // namespace

double gradient_dissimilarity(const Model& model, const FederatedData& data, const Vector& parameters,
                              ClientWeights weights) {
  check(data);
  check_length("parameters", parameters, model);
  const Vector shares = weights_of(data, weights);
  const Matrix gradients = client_gradients(model, data, parameters);
  const Eigen::RowVectorXd mean = shares.transpose() * gradients;
  double sum = 0;
  for (Eigen::Index i = 0; i < gradients.rows(); ++i) sum += shares(i) * (gradients.row(i) - mean).squaredNorm();
  return sum;
}

double largest_gradient_dissimilarity(const Model& model, const FederatedData& data, std::span<const Vector> points,
                                      ClientWeights weights) {
  require(!points.empty(), "points", "empty", "at least one");
  double largest = 0;
  for (const Vector& point : points) largest = std::max(largest, gradient_dissimilarity(model, data, point, weights));
  return largest;
}

AtOptimum dissimilarity_at_optimum(const Model& model, const FederatedData& data, const Vector& optimum,
                                   double regularisation) {
  check(data);
  check_length("optimum", optimum, model);
  check_regularisation(regularisation);
  Matrix gradients = client_gradients(model, data, optimum);
  gradients.rowwise() += regularisation * optimum.transpose();
  return {gradients.squaredNorm() / static_cast<double>(gradients.rows()), gradients.colwise().mean().norm()};
}

double local_global_gap(const Model& model, const FederatedData& data, const Vector& optimum,
                        std::span<const Vector> client_optima, double regularisation) {
  check(data);
  check_length("optimum", optimum, model);
  require(client_optima.size() == data.clients.size(), "client_optima", client_optima.size(),
          fmt::format("{} in number, one per client", data.clients.size()));
  for (const Vector& parameters : client_optima) check_length("client_optima", parameters, model);
  check_regularisation(regularisation);

  const Vector shares = weights_of(data, ClientWeights::by_records);
  Vector gaps(shares.size());
  for_each_client(model, data, [&](std::size_t client, Model::Workspace& workspace) {
    const auto objective = [&](const Vector& parameters) {
      return model.loss(parameters, data.train, data.clients[client], workspace) +
             regularisation / 2 * parameters.squaredNorm();
    };
    gaps(static_cast<Eigen::Index>(client)) = objective(optimum) - objective(client_optima[client]);
  });
  require(gaps.allFinite(), "losses", "not finite, or their difference", "finite at every optimum");
  double sum = 0;
  for (Eigen::Index i = 0; i < gaps.size(); ++i) sum += shares(i) * gaps(i);
  return sum;
}

}  // namespace dpbudget::fl
