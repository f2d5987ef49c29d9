#include "dpbudget/accounting/base/character.h"

#include <fmt/format.h>

namespace dpbudget {
namespace {

unsigned byte_at(std::string_view text, std::size_t at) { return static_cast<unsigned char>(text[at]); }

bool continues(std::string_view text, std::size_t at) { return at < text.size() && (byte_at(text, at) >> 6) == 0b10; }

// Bytes of the character at `at`, one where it is no UTF-8.
std::size_t length_at(std::string_view text, std::size_t at) {
  const unsigned first = byte_at(text, at);
  const std::size_t length = first < 0xc2 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 1;
  for (std::size_t i = 1; i < length; ++i)
    if (!continues(text, at + i)) return 1;
  return length;
}

}  // namespace

std::string shown_character(std::string_view text, std::size_t at) {
  const std::size_t length = length_at(text, at);
  const unsigned first = byte_at(text, at);
  if (length == 1 && (first < 0x20 || first >= 0x7f)) return fmt::format("\\x{:02x}", first);
  return std::string(text.substr(at, length));
}

std::size_t character_count(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); at += length_at(text, at)) ++count;
  return count;
}

}  // namespace dpbudget
