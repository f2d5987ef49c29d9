#include "dpbudget/accounting/tradeoff/federated.h"

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>

#include "dpbudget/accounting/tradeoff/central_limit.h"
#include "dpbudget/accounting/tradeoff/operations.h"
#include "dpbudget/accounting/tradeoff/piecewise_linear.h"
#include "dpbudget/accounting/tradeoff/ranges.h"
#include "dpbudget/accounting/tradeoff/tensor.h"

namespace dpbudget::tradeoff {
namespace {

void check(double client_rate, double rounds) {
  require(0 <= client_rate && client_rate <= 1, "client_rate", client_rate, "in [0, 1]");
  require(0 <= rounds && rounds <= static_cast<double>(ranges::max_count) && rounds == std::floor(rounds), "rounds",
          rounds, "an integer in [0, 2^53]");
}

// 1 - (1 - x)^n, also where x or the result is tiny.
double at_least_once(double chance, double trials) {
  if (trials == 0) return 0;
  return chance == 1 ? 1 : -std::expm1(trials * std::log1p(-chance));
}

// Lowered by what evaluation may be off by, so that what it gives is proven with its rounding.
class Lowered final : public TradeOff {
 public:
  explicit Lowered(TradeOffPtr f) : f_(std::move(f)) {}
  double type_two_error(double a) const override {
    const double value = f_->type_two_error(a);
    return value == 0 ? 0 : std::max(0.0, value * (1 - margin * (1 + std::abs(std::log(value)))));
  }
  double power(double a) const override { return std::min(1.0, std::max(f_->power(a), 1 - type_two_error(a))); }
  double log_delta(double epsilon) const override {
    const double value = f_->log_delta(epsilon);
    return std::isinf(value) ? value : std::min(0.0, value + margin * (1 + std::abs(value)));
  }
  bool is_symmetric() const override { return f_->is_symmetric(); }
  loss_distribution::Pieces losses(const loss_distribution::Cut& cut, loss_distribution::Side side) const override {
    return f_->losses(cut, side);
  }

 private:
  static constexpr double margin = 2e-12;  // closed forms are right to 1e-12 of this form
  TradeOffPtr f_;
};

// f_j holds whoever looks; with probability 1 - reach nothing of j is seen at all.
TradeOffPtr unless_unseen(const TradeOffPtr& f, double reach) {
  return std::make_shared<Lowered>(maximum(f, approximate(0, reach)));
}

}  // namespace

double federated_reach_probability(double client_rate, double rounds, FederatedNotion notion) {
  check(client_rate, rounds);
  if (notion == FederatedNotion::strong) return at_least_once(client_rate, rounds);
  return rounds == 0 ? 0 : boost::math::ibeta(2.0, rounds, client_rate);
}

double federated_reach_probability_as_published(double client_rate, double rounds) {
  check(client_rate, rounds);
  return at_least_once(client_rate * client_rate, rounds);
}

FederatedGuarantee federated_round(const TradeOffPtr& f_j, double client_rate) {
  check(client_rate, 1);
  return {unless_unseen(f_j, client_rate * client_rate),
          Guarantee::proven,
          "Zheng, Chen, Long, Su 2021, Lemma 3.8",
          {"one round, and a server whose model does not depend on client j before it"}};
}

FederatedGuarantee federated_rounds_as_published(const TradeOffPtr& f_j, double client_rate, std::uint64_t rounds) {
  check(client_rate, static_cast<double>(rounds));
  require(rounds >= 1, "rounds", rounds, "at least 1");
  const PiecewiseLinearPtr polygon = as_polygon(f_j);
  if (!polygon) throw Unsupported("the published composition is computed for piecewise linear f_j only");
  const auto unseen = PiecewiseLinear::from_vertices({{0, 1 - client_rate * client_rate}, {1, 0}});
  return {tensor({{maximum(*polygon, *unseen), rounds}}),
          rounds == 1 ? Guarantee::proven : Guarantee::estimate,
          "Zheng, Chen, Long, Su 2021, Theorem 1",
          {"refuted for 2 rounds or more: the server's model carries what client j sent in one round into later ones, "
           "without noise at p = 0.1 over 2 rounds with probability 0.028, but the theorem allows 0.0199"}};
}

FederatedGuarantee federated_rounds(const TradeOffPtr& f_j, double client_rate, std::uint64_t rounds,
                                    FederatedNotion notion) {
  check(client_rate, static_cast<double>(rounds));
  require(rounds >= 1, "rounds", rounds, "at least 1");
  const double reach = federated_reach_probability(client_rate, static_cast<double>(rounds), notion);
  return {unless_unseen(tensor({{f_j, rounds}}), std::min(1.0, reach * (1 + 1e-11))),
          Guarantee::proven,
          "composition of f-DP: Dong, Roth, Su 2019, Theorem 3.2; reach: accounting/tradeoff/proofs.md, 4.1",
          {}};
}

double federated_mu_max(const std::vector<FederatedClient>& clients) {
  require(!clients.empty(), "the number of clients", clients.size(), "at least 1");
  double most = 0;
  for (const FederatedClient& client : clients) {
    require(1 <= client.records, "records", client.records, "at least 1");
    require(1 <= client.batch && client.batch <= client.records, "batch", client.batch, "in [1, records]");
    most = std::max(most,
                    clt_mu_without_replacement(static_cast<double>(client.batch) / static_cast<double>(client.records),
                                               client.noise_multiplier, static_cast<double>(client.steps)));
  }
  return most;
}

}  // namespace dpbudget::tradeoff
