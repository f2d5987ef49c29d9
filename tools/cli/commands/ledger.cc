#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/fl/ledger/convert.h"
#include "dpbudget/fl/ledger/lines.h"
#include "dpbudget/tools/cli/commands/commands.h"
#include "dpbudget/tools/cli/output/number.h"
#include "dpbudget/tools/cli/output/output_file.h"
#include "dpbudget/tools/cli/output/table.h"

namespace dpbudget::tools {
namespace {

struct LedgerOptions {
  std::string ledger;
  std::string to;
  bool json = false;
};

std::uint64_t records_in(const fl::LedgerHeader& header) {
  return std::accumulate(header.clients.begin(), header.clients.end(), std::uint64_t{0});
}

// Nothing of a pipe.
std::optional<std::uint64_t> size_of(const std::string& file) {
  if (!std::filesystem::is_regular_file(file)) return std::nullopt;
  return std::filesystem::file_size(file);
}

// Each with its name.
std::vector<std::pair<std::string, std::string>> facts_of(const std::string& file, const fl::LedgerSummary& summary) {
  const fl::LedgerHeader& header = summary.header;
  const fl::SettledRun& run = header.run;
  const auto size = size_of(file);
  std::vector<std::pair<std::string, std::string>> facts = {
      {"ledger", fmt::format("{}{}, {}, version {}", file, size ? fmt::format(", {} bytes", grouped(*size)) : "",
                             summary.is_packed ? "packed" : "plain", header.version)},
      {"run", fmt::format("{}, model {}, {} parameters, seed {}", run->algorithm, run->model, grouped(header.dimension),
                          run->seed)},
      {"data", fmt::format("{}: {} clients, {} records", header.data, grouped(header.clients.size()),
                           grouped(records_in(header)))},
      {"rounds", fmt::format("{} of {} planned, with {} participations; {}", summary.rounds, run.released_rounds(),
                             grouped(summary.participations), summary.end ? "finished" : "not finished")}};
  if (summary.end)
    facts.emplace_back("result", fmt::format("train loss {:.6g}, test score {:.6g}", summary.end->train_loss,
                                             summary.end->test_score));
  if (summary.is_torn) facts.emplace_back("note", "what came last was cut off while it was written; it is left out");
  return facts;
}

nlohmann::json json_of(const std::optional<std::uint64_t>& number) {
  return number ? nlohmann::json(*number) : nlohmann::json();
}

nlohmann::json json_of(const std::string& file, const fl::LedgerSummary& summary) {
  const fl::LedgerHeader& header = summary.header;
  nlohmann::json json = {{"ledger", file},
                         {"bytes", json_of(size_of(file))},
                         {"packed", summary.is_packed},
                         {"version", header.version},
                         {"run", fl::to_line(header.run.written())},
                         {"dimension", header.dimension},
                         {"data", header.data},
                         {"clients", header.clients.size()},
                         {"records", records_in(header)},
                         {"rounds", summary.rounds},
                         {"rounds_planned", header.run.released_rounds()},
                         {"participations", summary.participations},
                         {"finished", summary.end.has_value()},
                         {"torn", summary.is_torn}};
  if (summary.end) {
    json["train_loss"] = summary.end->train_loss;
    json["test_score"] = summary.end->test_score;
  }
  return json;
}

int run(const LedgerOptions& options, Page& page) {
  check_output_files({{"--to", options.to}}, {{"ledger", options.ledger}});
  if (!options.to.empty()) require_file("--to", options.ledger);
  const fl::LedgerSummary summary = fl::summary_of(options.ledger);
  if (!options.to.empty()) fl::convert_ledger(options.ledger, options.to);
  if (options.json) std::cout << json_of(options.ledger, summary) << "\n";
  for (const auto& [name, text] : facts_of(options.ledger, summary)) {
    page.answer(name, text);
    if (!options.json) std::cout << field(name, text);
  }
  return inside_budget;
}

}  // namespace

void add_ledger(Program& program, int& status) {
  auto options = std::make_shared<LedgerOptions>();
  const Command command = program.add("ledger", "what a ledger holds, and its other form: plain or packed");
  if (!command.is_named()) return;
  command.footer(
      "Examples:\n  dpbudget ledger run.jsonl\n  dpbudget ledger run.jsonl --to run.jsonl.gz\n"
      "A ledger is JSON lines, or the same lines packed by gzip, each round a block: a tenth of the size. All "
      "commands\n"
      "read both; what a ledger's name ends in, .gz or not, says which of them is written.");
  command.option("ledger", options->ledger, "the ledger that `dpbudget simulate` wrote").type("FILE").required();
  command.option("--to", options->to, "write the same ledger here, packed where the name ends in .gz").type("FILE");
  command.flag("--json", options->json, "print one JSON object");
  command.action([options, &status, &page = program.page()] { status = run(*options, page); });
}

}  // namespace dpbudget::tools
