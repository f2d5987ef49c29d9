#include "dpbudget/tools/cli/page/page.h"

#include <algorithm>
#include <utility>

#include "dpbudget/tools/cli/page/assumptions.h"

namespace dpbudget::tools {
namespace {

void add_once(std::vector<std::string>& texts, const std::string& text) {
  if (std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
}

}  // namespace

void Page::assume(const Plan& plan) {
  if (!is_wanted_) return;
  for (const Entry& entry : assumptions_of(plan)) assume(entry.first, entry.second);
}

void Page::assume(std::string_view name, std::string_view text) {
  if (!is_wanted_) return;
  const Entry entry(name, text);
  if (std::ranges::find(content_.assumptions, entry) == content_.assumptions.end())
    content_.assumptions.push_back(entry);
}

void Page::answer(std::string_view name, std::string_view text, const Bound& bound) {
  answer(name, text);
  if (is_wanted_ && !bound.accountant.empty()) content_.answers.emplace_back("answered by", bound.accountant);
  rest_on(bound);
}

void Page::answer(std::string_view name, std::string_view text) {
  if (is_wanted_) content_.answers.emplace_back(name, text);
}

void Page::rest_on(const Bound& bound) {
  if (!is_wanted_) return;
  for (const std::string& theorem : bound.theorems) add_once(content_.theorems, theorem);
  for (const std::string& note : bound.notes) add_once(content_.notes, note);
}

void Page::note(std::string_view text) {
  if (is_wanted_) add_once(content_.notes, std::string(text));
}

void Page::table(std::string_view heading, std::vector<Row> rows) {
  if (is_wanted_ && rows.size() > 1) content_.tables.push_back({std::string(heading), std::move(rows)});
}

void Page::figure(std::string_view caption, const std::function<Plot()>& drawn) {
  if (!is_wanted_) return;
  Plot plot = drawn();
  const bool is_empty = std::ranges::all_of(plot.lines, [](const Line& line) { return line.x.empty(); });
  if (is_empty) return;
  std::string svg = svg_of(plot);
  content_.figures.push_back({std::string(caption), std::move(svg), std::move(plot)});
}

void Page::begin(std::string_view command, std::string_view purpose, std::string_view command_line) {
  is_wanted_ = true;
  content_.command = command;
  content_.purpose = purpose;
  content_.command_line = command_line;
}

}  // namespace dpbudget::tools
