/// @file
/// One question put to every accountant.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "dpbudget/accounting/accountants/accountant.h"
#include "dpbudget/accounting/base/bound.h"
#include "dpbudget/accounting/plan/plan.h"

namespace dpbudget::tools {

/// Either epsilon at a given delta, or delta at a given epsilon.
struct Question {
  bool wants_epsilon;
  double given;

  std::string_view wanted_name() const { return wants_epsilon ? "epsilon" : "delta"; }
  std::string_view given_name() const { return wants_epsilon ? "delta" : "epsilon"; }
};

/// What an accountant says, or why it says nothing.
struct Answer {
  AccountantName accountant{};
  std::optional<DeltaBound> found;  ///< for epsilon too, whose logarithms are left 0
  std::string refusal;
  double seconds = 0;
};

/// Every accountant but `best`, each asked again and again about one plan.
class Comparison {
 public:
  Comparison(const Plan& plan, double tolerance);

  /// The answers for `count` repetitions, in the order of `all_accountants`.
  std::vector<Answer> ask(const Question& question, std::uint64_t count);

 private:
  struct Member {
    AccountantName name;
    std::unique_ptr<Accountant> accountant;
    std::string refusal;
    double seconds;  // to make it
  };
  std::vector<Member> members_;
};

/// The tightest first: proven bounds, then estimates, then refusals.
std::vector<Answer> ranked(std::vector<Answer> answers);

/// A table for people, with the theorems and refusals below it.
std::string comparison_table(const Question& question, const std::vector<Answer>& answers);

nlohmann::json to_json(const Question& question, const Answer& answer);

}  // namespace dpbudget::tools
