// An algorithm, a model and a partition of this project's own: planned for, trained and verified like dpbudget's.
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/fl/account/budget.h"
#include "dpbudget/fl/account/claim.h"
#include "dpbudget/fl/account/plans.h"
#include "dpbudget/fl/account/pricing.h"
#include "dpbudget/fl/algorithms/catalogue.h"
#include "dpbudget/fl/data/partition_by_name.h"
#include "dpbudget/fl/ledger/writer.h"
#include "dpbudget/fl/model/catalogue.h"
#include "dpbudget/fl/simulate/runner.h"
#include "dpbudget/fl/verify/verify.h"

namespace fl = dpbudget::fl;

// The one list of what SignSgd alone reads of a run: ledgers, configurations and command lines know it from here.
struct SignOptions {
  double server_step = 1;  // [eta_g]
  double decay = 0;        // in [0, 1]

  static auto options() {
    return std::tuple(
        fl::option(&SignOptions::server_step, "server_step", "eta_g: how far a sign moves a coordinate",
                   fl::range::positive),
        fl::option(&SignOptions::decay, "decay", "power of the round that steps are divided by", fl::range::share));
  }
};

// Each participant sends one released gradient; the server moves every coordinate by eta_g, over a power of the round,
// against the sign of their weighted mean.
class SignSgd final : public fl::Algorithm {
 public:
  fl::OptionList options() const override { return fl::OptionList::of<SignOptions>(); }
  void client(const fl::Round& /*round*/, const fl::ServerState& server, fl::ClientState& /*state*/,
              fl::Release& release, fl::Update& update) const override {
    update.model = release.gradient(server.model);
  }
  void server(const fl::Round& round, std::span<const fl::Update> updates, fl::ServerState& state) const override {
    fl::Vector mean = fl::Vector::Zero(state.model.size());
    for (const fl::Update& update : updates) mean += update.weight * update.model;
    const auto& options = round.run.options<SignOptions>();
    state.model -= options.server_step / std::pow(round.number, options.decay) * mean.cwiseSign();
  }
};

// What a paper might claim: for the server, that nothing is amplified.
class SignClaims final : public fl::Claims {
 public:
  std::optional<fl::AdversaryPlan> published(const fl::SettledRun& run, const fl::Sizes& /*sizes*/,
                                             fl::Adversary adversary) const override {
    if (adversary != fl::Adversary::server) return std::nullopt;
    const dpbudget::Event release = dpbudget::Gaussian{run->noise_multiplier};
    return fl::AdversaryPlan{{dpbudget::Repeated{run.released_rounds(), release}, dpbudget::Adjacency::replace_one},
                             dpbudget::Guarantee::proven,
                             "composition alone",
                             {}};
  }
};

// Half the squared distance of the parameters from a record's features: its mean is the best model.
class Location final : public fl::Model {
 public:
  explicit Location(Eigen::Index dimension) : dimension_(dimension) {}

  std::string name() const override { return "location"; }
  Eigen::Index dimension() const override { return dimension_; }
  fl::Score score_kind() const override { return fl::Score::mean_squared_error; }
  fl::Vector initial(std::uint64_t /*seed*/) const override { return fl::Vector::Zero(dimension_); }
  std::unique_ptr<Workspace> workspace() const override { return std::make_unique<Workspace>(); }

  fl::Norms clipped_gradient_sum(const fl::Vector& parameters, const fl::Dataset& dataset,
                                 std::span<const std::uint32_t> rows, double clip_norm, Workspace& /*workspace*/,
                                 fl::Vector& out) const override {
    // Sums of so few numbers round by far less than this.
    const double below = clip_norm * (1 - 1e-12);
    fl::Norms norms{0, 0};
    out.setZero();
    for (const std::uint32_t row : rows) {
      const fl::Vector gradient = parameters - dataset.features.row(row).transpose();
      const double norm = gradient.norm();
      const double scale = norm > below ? below / norm : 1;
      out += scale * gradient;
      norms.largest = std::max(norms.largest, norm);
      norms.largest_clipped = std::max(norms.largest_clipped, (scale * gradient).norm());
    }
    return norms;
  }
  void gradient_norms(const fl::Vector& parameters, const fl::Dataset& dataset, std::span<const std::uint32_t> rows,
                      Workspace& /*workspace*/, std::span<double> out) const override {
    for (std::size_t i = 0; i < rows.size(); ++i)
      out[i] = (parameters - dataset.features.row(rows[i]).transpose()).norm();
  }
  double loss(const fl::Vector& parameters, const fl::Dataset& dataset, std::span<const std::uint32_t> rows,
              Workspace& /*workspace*/) const override {
    double sum = 0;
    for (const std::uint32_t row : rows) sum += (parameters - dataset.features.row(row).transpose()).squaredNorm() / 2;
    return sum / static_cast<double>(rows.size());
  }
  double score(const fl::Vector& parameters, const fl::Dataset& dataset, std::span<const std::uint32_t> rows,
               Workspace& workspace) const override {
    return loss(parameters, dataset, rows, workspace);
  }

 private:
  Eigen::Index dimension_;
};

// Record i goes to user i modulo their number.
fl::Partition dealt_out(const fl::Dataset& all, const std::optional<std::string>& /*parameter*/, std::uint64_t users,
                        std::uint64_t /*seed*/) {
  fl::Partition parts(users);
  for (std::uint32_t row = 0; row < all.records(); ++row) parts[row % users].push_back(row);
  return parts;
}

fl::Dataset points() {
  fl::Dataset all{fl::Matrix(80, 2), {}, 0};
  for (int row = 0; row < 80; ++row) {
    all.features.row(row) << 1 + std::sin(row), -1 + std::cos(row);
    all.targets.push_back(0);
  }
  return all;
}

int main() {
  fl::add_model("location", [](std::optional<std::string_view> /*parameter*/, const fl::Dataset& dataset,
                               std::optional<fl::Precision> /*precision*/) {
    return std::make_unique<Location>(dataset.features.cols());
  });
  fl::add_partition("dealt-out", dealt_out);
  fl::AlgorithmTraits traits;
  traits.name = "dp-sign-sgd";
  traits.mechanism = fl::Mechanism::gaussian;
  traits.steps = fl::Steps::one;
  traits.released_mean = true;  // a round publishes nothing but a function of the mean of its releases
  fl::add_algorithm(traits, std::make_unique<SignSgd>(), std::make_unique<SignClaims>());

  const fl::FederatedData data = fl::federate_by_name(points(), "dealt-out", 4, 1);
  fl::RunRequest request;
  request.algorithm = "dp-sign-sgd";
  request.model = "location";
  request.rounds = 20;
  request.user_rate = 0.5;
  request.record_rate = 0.5;
  request.noise_multiplier = 2;
  request.clip_norm = 1;
  request.regularisation = 0;
  request.options["server_step"] = 0.2;
  request.options["decay"] = 0.25;
  const fl::SettledRun run = fl::settle(request, fl::records_of(data), 2);

  bool is_right = true;
  const auto expect = [&](bool holds, const std::string& what) {
    if (!holds) std::cout << "FAILED: " << what << "\n";
    is_right = is_right && holds;
  };
  const auto refusal = [](fl::RunRequest wrong, const std::string& algorithm, double decay) {
    wrong.algorithm = algorithm;
    wrong.options = {{"decay", decay}};
    try {
      fl::settle(wrong);
    } catch (const dpbudget::InvalidArgument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  expect(refusal(request, "dp-sign-sgd", 2) == "decay is 2, but must be in [0, 1]", "a range for the option");
  expect(refusal(request, "dp-fedavg", 0.5) == "decay is given, but dp-fedavg does not take it", "an owner for it");
  const fl::Sizes sizes = fl::sizes_of(run, fl::records_of(data), 0, 2);
  for (const fl::Adversary adversary : fl::all_adversaries) {
    const auto plan = fl::plan(run, sizes, adversary, fl::Basis::proven);
    expect(plan.has_value(), "a proven plan");
    if (plan) std::cout << dpbudget::to_string(adversary) << ": " << dpbudget::to_text(plan->plan) << "\n";
  }
  fl::Pricing price(1e-5);
  const auto epsilon = [&](fl::Adversary adversary, fl::Basis basis) {
    return fl::claimed_epsilon(run, sizes, adversary, basis, price).upper;
  };
  expect(epsilon(fl::Adversary::third_party, fl::Basis::proven) < epsilon(fl::Adversary::server, fl::Basis::proven),
         "the noise of two participants hides each of them from a third party");
  expect(epsilon(fl::Adversary::server, fl::Basis::proven) < epsilon(fl::Adversary::server, fl::Basis::published),
         "sampling costs less than the claim, which leaves it out");

  const std::string file = "own_algorithm.ledger.jsonl";
  fl::LedgerWriter ledger(file);
  fl::Surroundings around;
  around.ledger = &ledger;
  const fl::Result result = fl::simulate(run, data, around);
  expect((result.parameters - fl::Vector{{1, -1}}).norm() < 0.8,
         "twenty steps from 0.2 down to 0.09 come near (1, -1)");
  const fl::Ledger written = fl::read_ledger(file);
  expect(written.header.run.options<SignOptions>().decay == 0.25, "the option in the ledger");
  const fl::Report report = fl::verify(written, 1e-5);
  for (const fl::Check& check : report.checks) expect(check.passed, check.name + ": " + check.reason);
  expect(report.passed && report.rounds_executed == 20, "the ledger verifies");
  std::remove(file.c_str());
  return is_right ? 0 : 1;
}
