/// @file
/// Help whose lines are no longer than those of the answers.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace dpbudget::tools {

/// Breaks descriptions between words, and footers too: lines that are indented there are examples, and stay as they
/// are; those between them are paragraphs.
class HelpFormatter final : public CLI::Formatter {
 public:
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_footer(const CLI::App* app) const override;
};

}  // namespace dpbudget::tools
