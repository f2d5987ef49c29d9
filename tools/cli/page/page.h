/// @file
/// What a command says on the page that --report asks for: what was asked and assumed, what was found, and why.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dpbudget/accounting/base/bound.h"
#include "dpbudget/accounting/plan/plan.h"
#include "dpbudget/tools/cli/output/plot.h"
#include "dpbudget/tools/cli/output/table.h"

namespace dpbudget::tools {

/// A name, and a text on it.
using Entry = std::pair<std::string, std::string>;

/// A heading, and rows below it, of which the first names the columns.
struct PageTable {
  std::string heading;
  std::vector<Row> rows;
};

/// A picture as text, and the points that it shows.
struct PageFigure {
  std::string caption;
  std::string svg;  ///< empty where it could not be drawn
  Plot plot;
};

/// What stands on a page, in the order in which it does.
struct PageContent {
  std::string command;  ///< by name
  std::string purpose;
  std::string command_line;
  std::vector<Entry> answers;
  std::vector<Entry> assumptions;
  std::vector<std::string> theorems;
  std::vector<std::string> notes;
  std::vector<PageTable> tables;
  std::vector<PageFigure> figures;
  std::string printed;  ///< what the command wrote to standard output
};

/// A page that a command fills while it runs, each call adding something. Where none is wanted nothing is done.
class Page {
 public:
  bool is_wanted() const { return is_wanted_; }

  /// What must be true of what was released, and which neighbours are protected.
  void assume(const Plan& plan);
  void assume(std::string_view name, std::string_view text);

  /// An answer as `text` has it, with the theorems and notes of its bound.
  void answer(std::string_view name, std::string_view text, const Bound& bound);
  void answer(std::string_view name, std::string_view text);
  void rest_on(const Bound& bound);
  void note(std::string_view text);

  void table(std::string_view heading, std::vector<Row> rows);

  /// @param drawn  asked for only where a page is wanted; what has no lines is left out
  void figure(std::string_view caption, const std::function<Plot()>& drawn);

  /// From now on what the command says is kept, for a page about `command`, which was called by `command_line`.
  void begin(std::string_view command, std::string_view purpose, std::string_view command_line);

  const PageContent& content() const { return content_; }
  void set_printed(std::string text) { content_.printed = std::move(text); }

 private:
  bool is_wanted_ = false;
  PageContent content_;
};

}  // namespace dpbudget::tools
