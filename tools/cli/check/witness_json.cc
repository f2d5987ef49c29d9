#include "dpbudget/tools/cli/check/witness_json.h"

#include <nlohmann/json.hpp>
#include <variant>

#include "dpbudget/tools/cli/output/bound_output.h"

namespace dpbudget::tools {
namespace {

using nlohmann::json;

struct AsJson {
  json operator()(std::monostate) const { return nullptr; }
  json operator()(const witness::NormalRoot& w) const {
    return {{"kind", "normal_root"}, {"mu", json_number(w.mu)}, {"root", json_number(w.root)}};
  }
  json operator()(const witness::Outcomes& w) const { return {{"kind", "outcomes"}, {"number", w.number}}; }
  json operator()(const witness::LargestLoss& w) const {
    return {{"kind", "largest_loss"}, {"loss", json_number(w.loss)}};
  }
  json operator()(const witness::Composition&) const { return {{"kind", "composition"}}; }
  json operator()(const witness::RenyiOrder& w) const {
    return {{"kind", "renyi"}, {"order", json_number(w.order)}, {"divergence", json_number(w.divergence)}};
  }
  json operator()(const witness::ConcentratedOrder& w) const {
    return {{"kind", "concentrated"},
            {"rho", json_number(w.rho)},
            {"omega", json_number(w.omega)},
            {"order_minus_1", json_number(w.excess)}};
  }
  json operator()(const witness::Contour& w) const {
    return {{"kind", "contour"},
            {"direction", witness::to_string(w.way)},
            {"abscissa", w.abscissa},
            {"step", w.step},
            {"terms", w.terms},
            {"truncated_at", static_cast<double>(w.terms) * w.step},
            {"ln_tail", json_number(w.log_tail)},
            {"alias_orders", {w.alias_below, w.alias_above}},
            {"smoothing", w.smoothing}};
  }
  json operator()(const witness::Mesh& w) const {
    return {{"kind", "mesh"}, {"mesh", json_number(w.mesh)}, {"tail", w.tail}};
  }
};

}  // namespace

json to_json(const Witness& witness) { return std::visit(AsJson(), witness); }

}  // namespace dpbudget::tools
