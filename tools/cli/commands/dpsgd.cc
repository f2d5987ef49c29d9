#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "dpbudget/accounting/plan/language.h"
#include "dpbudget/accounting/solve/dp_sgd.h"
#include "dpbudget/tools/cli/commands/commands.h"
#include "dpbudget/tools/cli/options/options.h"
#include "dpbudget/tools/cli/output/bound_output.h"
#include "dpbudget/tools/cli/output/dp_sgd_output.h"
#include "dpbudget/tools/cli/page/page.h"

namespace dpbudget::tools {
namespace {

struct DpSgdOptions {
  solve::DpSgdQuestion question{Count::unknown(), Count::unknown(), Real::unknown(), Real::unknown(), Real::unknown()};
  AccountantChoice accountant;
  bool json = false;
};

void describe(const solve::DpSgd& found, Page& page) {
  page.assume(found.plan);
  page.assume("sampling", found.assumed);
  page.answer("records, batch, epochs", fmt::format("{}, {}, {:.6g}", found.records, found.batch, found.epochs));
  page.answer("noise", fmt::format("{}", found.noise));
  page.answer("plan", to_text(found.plan));
  page.answer("delta", fmt::format("{}", found.delta));
  page.answer("epsilon", bracket_text(found.epsilon), found.epsilon);
  for (const std::string& note : found.notes) page.note(note);
  std::vector<Row> others{{"batches drawn otherwise", "plan", "epsilon", "meaning"}};
  for (const solve::OtherSampling& other : found.others)
    others.push_back({other.name, to_text(other.plan),
                      other.epsilon ? bracket_text(*other.epsilon) : "not known: " + other.epsilon.error().text(),
                      other.meaning});
  page.table("The same noise on other batches", std::move(others));
}

int run(const DpSgdOptions& options, Page& page) {
  try {
    const solve::DpSgd found =
        solve::dp_sgd(options.question, options.accountant.name, options.accountant.tolerance).value();
    describe(found, page);
    if (options.json)
      std::cout << to_json(found) << "\n";
    else
      std::cout << text_of(found);
    return inside_budget;
  } catch (const solve::NoValue& none) {
    page.answer("?", none.what());
    std::cerr << "dpbudget: " << none.what() << "\n";
    return over_budget;
  }
}

}  // namespace

void add_dpsgd(Program& program, int& status) {
  auto options = std::make_shared<DpSgdOptions>();
  const Command command =
      program.add("dpsgd", "what DP-SGD costs, or the one number marked `?` that keeps to a budget");
  if (!command.is_named()) return;
  command.footer(
      "Examples:\n  dpbudget dpsgd --records 60000 --batch 256 --epochs 60 --noise 1.1 --delta 1e-5\n"
      "  dpbudget dpsgd --records 60000 --batch 256 --epochs 60 --noise \"?\" --epsilon 3 --delta 1e-5\n"
      "Exactly one number is `?`, epsilon unless another is. Batches are taken for Poisson samples, as accountants of\n"
      "DP-SGD do; what the same noise costs with batches of a fixed size and with passes over the data is said as "
      "well.\n"
      "A number that is found has been certified. Exit status 1 when no value meets the budget.");
  solve::DpSgdQuestion& question = options->question;
  quantity_option(command, "--records", question.records, "records in the data set").required();
  quantity_option(command, "--batch", question.batch, "expected records in a batch, in [1, records]").required();
  quantity_option(command, "--epochs", question.epochs,
                  "passes over the data: epochs * records / batch steps, rounded up")
      .required();
  quantity_option(command, "--noise", question.noise,
                  "standard deviation of the noise on the sum of gradients, divided by the clipping norm")
      .required();
  quantity_option(command, "--delta", question.delta, "in (0, 1)").required();
  quantity_option(command, "--epsilon", question.epsilon,
                  "epsilon of the budget, at least 0; left out, it is asked for");
  options->accountant.add_to(command);
  command.flag("--json", options->json, "print one JSON object");
  command.action([options, &status, &page = program.page()] { status = run(*options, page); });
}

}  // namespace dpbudget::tools
