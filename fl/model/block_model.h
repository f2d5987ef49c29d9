/// @file
/// What is the same for every model that works by matrix products: records are taken block by block, their gradients
/// clipped without being formed.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/arithmetic/rows.h"
#include "dpbudget/fl/model/model.h"
#include "dpbudget/fl/model/records.h"
#include "dpbudget/mechanisms/clip.h"

namespace dpbudget::fl {

/// A model made of a body, which maps records to outputs and has the parameters (dense_network.h lists what a body
/// offers), and a head, which compares outputs with labels or targets (cross_entropy.h shows what a head offers).
///
/// Body::Scalar is the precision inside: parameters are rounded to it once per call, losses and the blocks' sums are
/// added in double.
///
/// Each record's contribution has norm at most C = clip_norm, roundings included, and a little less: n contributions
/// added in blocks of b come out wrong by at most n b u C, u = 2^-24 in float and 2^-53 in double, and adding the sums
/// of m blocks by n m 2^-53 C, so gradients are clipped to C / (1 + n (b u + m 2^-53)). That keeps what a record can
/// move the computed sum by at 2 C, unless a factor or a scaled derivative falls below the normal numbers of the
/// scalar; for 160 records in float it costs 0.13 % of C.
template <class Body, class Head>
class BlockModel final : public Model {
  using Scalar = typename Body::Scalar;
  using Parameters = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;

 public:
  BlockModel(std::string name, Body body, Head head)
      : name_(std::move(name)), body_(std::move(body)), head_(std::move(head)) {}

  std::string name() const override { return name_; }
  Eigen::Index dimension() const override { return body_.dimension(); }
  std::vector<Eigen::Index> tensors() const override { return body_.tensors(); }
  Score score_kind() const override { return Head::score_kind; }
  Precision precision() const override { return precision_of<Scalar>; }
  bool is_convex() const override {
    // Heads are convex in the outputs.
    if constexpr (requires { body_.is_linear(); })
      return body_.is_linear();
    else
      return false;
  }
  Vector initial(std::uint64_t seed) const override { return body_.initial(seed); }
  std::unique_ptr<Workspace> workspace() const override { return std::make_unique<Memory>(body_); }

  Norms clipped_gradient_sum(const Vector& parameters, const Dataset& dataset, std::span<const std::uint32_t> rows,
                             double clip_norm, Workspace& workspace, Vector& out) const override {
    require_length(out.size(), "out", dimension());
    require(0 < clip_norm, "clip_norm", clip_norm, "positive (infinity clips nothing)");
    Memory& memory = load(parameters, dataset, workspace);
    require_finite(memory.parameters);
    if (rows.empty()) out.setZero();
    Norms norms;
    const double inflation = (1 + margin) * (1 + rounding_of_a_sum(static_cast<double>(rows.size())));
    for_each_block(rows, [&](std::span<const std::uint32_t> block) {
      find_norms(dataset, block, memory);
      const auto count = static_cast<Eigen::Index>(block.size());
      for (Eigen::Index i = 0; i < count; ++i) {
        const double norm = memory.norms(i);
        memory.factors(i) = static_cast<Scalar>(mechanisms::clip_factor(norm * inflation, clip_norm));
        norms = norms.with({norm, norm * static_cast<double>(memory.factors(i))});
      }
      body_.sum_gradients(count, memory.factors.head(count), memory.body, memory.sum);
      if (block.data() == rows.data())
        out = memory.sum.template cast<double>();
      else
        out += memory.sum.template cast<double>();
    });
    return norms;
  }

  void gradient_norms(const Vector& parameters, const Dataset& dataset, std::span<const std::uint32_t> rows,
                      Workspace& workspace, std::span<double> out) const override {
    require(out.size() == rows.size(), "out", std::to_string(out.size()) + " long", "as long as rows");
    Memory& memory = load(parameters, dataset, workspace);
    require_finite(memory.parameters);
    auto next = out.begin();
    for_each_block(rows, [&](std::span<const std::uint32_t> block) {
      find_norms(dataset, block, memory);
      for (const double norm : memory.norms.head(static_cast<Eigen::Index>(block.size()))) {
        require(std::isfinite(norm), "norm", norm, "finite");
        *next++ = norm;
      }
    });
  }

  double loss(const Vector& parameters, const Dataset& dataset, std::span<const std::uint32_t> rows,
              Workspace& workspace) const override {
    return mean(parameters, dataset, rows, workspace,
                [&](auto block, auto inputs, auto outputs) { return head_.losses(dataset, block, inputs, outputs); });
  }

  double score(const Vector& parameters, const Dataset& dataset, std::span<const std::uint32_t> rows,
               Workspace& workspace) const override {
    return mean(parameters, dataset, rows, workspace,
                [&](auto block, auto, auto outputs) { return head_.scores(dataset, block, outputs); });
  }

 private:
  // Three roundings, of the factor, of its product with a derivative and of that with an activation, enlarge a clipped
  // contribution by less than (1 + epsilon / 2)^3; the norm itself is computed in double.
  static constexpr double margin = 2 * static_cast<double>(std::numeric_limits<Scalar>::epsilon());

  // By what a sum of that many contributions of norm 1 can come out wrong.
  static double rounding_of_a_sum(double count) {
    constexpr auto block = static_cast<double>(Body::block);
    constexpr double unit = static_cast<double>(std::numeric_limits<Scalar>::epsilon()) / 2;
    return count * (std::min(count, block) * unit + std::ceil(count / block) * 0x1p-53);
  }

  struct Memory final : Workspace {
    explicit Memory(const Body& network)
        : parameters(network.dimension()),
          sum(network.dimension()),
          norms(Body::block),
          factors(Body::block),
          body(network.memory()) {}

    Parameters parameters;
    Parameters sum;
    Eigen::VectorXd norms;
    Parameters factors;
    typename Body::Memory body;
  };

  static bool is_finite(const Parameters& parameters) {
    return all_finite(std::span<const Scalar>(parameters.data(), static_cast<std::size_t>(parameters.size())));
  }

  static void require_finite(const Parameters& parameters) {
    require(is_finite(parameters), "parameters", "not finite, or beyond the range of the model's precision", "finite");
  }

  template <class Visit>
  static void for_each_block(std::span<const std::uint32_t> rows, Visit&& visit) {
    constexpr auto block = static_cast<std::size_t>(Body::block);
    for (std::size_t begin = 0; begin < rows.size(); begin += block)
      visit(rows.subspan(begin, std::min(block, rows.size() - begin)));
  }

  Memory& load(const Vector& parameters, const Dataset& dataset, Workspace& workspace) const {
    require_length(parameters.size(), "parameters", dimension());
    head_.check(dataset, body_.features());
    auto* memory = dynamic_cast<Memory*>(&workspace);
    require(memory != nullptr && memory->parameters.size() == dimension(), "workspace", "another model's",
            "of this model's workspace()");
    memory->parameters = parameters.cast<Scalar>();
    return *memory;
  }

  void forward(const Dataset& dataset, std::span<const std::uint32_t> block, Memory& memory) const {
    const auto count = static_cast<Eigen::Index>(block.size());
    auto inputs = body_.inputs(count, memory.body);
    for (const std::uint32_t row : block) require_row(dataset, row);
    read(dataset, block, memory.single_features, inputs);
    body_.forward(memory.parameters, count, memory.body);
  }

  template <class Inputs>
  static void read(const Dataset& dataset, std::span<const std::uint32_t> block,
                   [[maybe_unused]] const SingleFeatures* rounded, Inputs& inputs) {
    if constexpr (std::is_same_v<Scalar, float>)
      if (rounded != nullptr && rounded->are_of(dataset)) {
        gather(block, [&](std::uint32_t row) { return rounded->row(row); }, inputs);
        return;
      }
    gather(block, [&](std::uint32_t row) { return &dataset.features(row, 0); }, inputs);
  }

  // Copies the features of a block's records, each from where `begin_of` says. Those lie anywhere, so that no machine
  // guesses which comes next; the rest of a long record it does.
  template <class BeginOf, class Inputs>
  static void gather(std::span<const std::uint32_t> block, const BeginOf& begin_of, Inputs& inputs) {
    const auto features = static_cast<std::size_t>(inputs.cols());
    constexpr std::size_t ahead = 16;
    for (std::size_t i = 0; i < block.size(); ++i) {
      if (i + ahead < block.size()) fetch(begin_of(block[i + ahead]), features);
      const std::span from(begin_of(block[i]), features);
      const std::span to(&inputs(static_cast<Eigen::Index>(i), 0), features);
      if constexpr (std::is_same_v<decltype(from), const std::span<const float>>)
        std::ranges::copy(from, to.begin());
      else
        convert<Scalar>(from, to);
    }
  }

  template <class Feature>
  static void fetch([[maybe_unused]] const Feature* record, [[maybe_unused]] std::size_t features) {
#ifdef __GNUC__
    constexpr std::size_t line = 64 / sizeof(Feature);
    const std::size_t begun = std::min(features, 8 * line);
    for (std::size_t j = 0; j < begun; j += line) __builtin_prefetch(record + j);
#endif
  }

  // Leaves in memory.norms those of the block's gradients, and in memory.body what sum_gradients needs.
  void find_norms(const Dataset& dataset, std::span<const std::uint32_t> block, Memory& memory) const {
    const auto count = static_cast<Eigen::Index>(block.size());
    forward(dataset, block, memory);
    head_.differentiate(dataset, block, body_.inputs(count, memory.body), body_.outputs(count, memory.body));
    auto norms = memory.norms.head(count);
    norms.setZero();
    body_.backward(memory.parameters, count, memory.body, norms);
    norms = norms.cwiseSqrt();
  }

  // Of what add(block, inputs, outputs) says in sum of each block.
  template <class Add>
  double mean(const Vector& parameters, const Dataset& dataset, std::span<const std::uint32_t> rows,
              Workspace& workspace, Add&& add) const {
    Memory& memory = load(parameters, dataset, workspace);
    require(!rows.empty(), "rows", "empty", "at least one");
    // A rectifier would hide some of them.
    if (!is_finite(memory.parameters)) return std::numeric_limits<double>::quiet_NaN();
    double sum = 0;
    for_each_block(rows, [&](std::span<const std::uint32_t> block) {
      const auto count = static_cast<Eigen::Index>(block.size());
      forward(dataset, block, memory);
      sum += add(block, body_.inputs(count, memory.body), body_.outputs(count, memory.body));
    });
    return sum / static_cast<double>(rows.size());
  }

  std::string name_;
  Body body_;
  Head head_;
};

}  // namespace dpbudget::fl
