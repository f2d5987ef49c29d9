/// @file
/// What of a TOML file may be handed to the library that reads it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace dpbudget::tools {

/// A place in a text, and what is wrong there. Lines and columns (of bytes) count from 1.
struct TomlFlaw {
  std::size_t line;
  std::size_t column;
  std::string what;
};

/// The first place where `text` has what TOML does not allow, or a configuration does not need, and what toml++ 3.3
/// ends in undefined behaviour for (its issues 190 and 295): a character beyond ASCII outside of texts and comments, or
/// a text of several lines.
std::optional<TomlFlaw> first_flaw(std::string_view text);

}  // namespace dpbudget::tools
