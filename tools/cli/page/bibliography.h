/// @file
/// What the statements that answers rest on were published in.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dpbudget::tools {

/// A publication. Statements cite it by one of `keys`, such as "Balle, Wang 2018", which stands in them as it is.
struct Reference {
  std::span<const std::string_view> keys;
  std::string_view text;  ///< authors, title, where it appeared
  std::string_view link;
};

/// All that statements cite, by their first author.
std::span<const Reference> bibliography();

/// Those that a statement cites, in the order in which it does.
std::vector<const Reference*> references_of(std::string_view statement);

}  // namespace dpbudget::tools
