/// @file
/// Help whose lines are no longer than those of the answers.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace dpbudget::tools {

/// Breaks headings and descriptions between words, and footers too: lines that are indented there are examples, and
/// stay as they are; those between them are paragraphs.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
  std::string make_group(std::string group, bool is_positional, std::vector<const CLI::Option*> options) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_footer(const CLI::App* app) const override;
};

}  // namespace dpbudget::tools
