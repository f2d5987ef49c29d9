/// @file
/// Files that are there whole or not at all.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <string_view>

namespace dpbudget {

/// Where what is to be in `file`, or in what it links to, is written first.
std::filesystem::path part_of(const std::filesystem::path& file);

/// Whether `file` is, or leads to, a device or a pipe, which takes what it is given: nothing is put in its place.
bool takes_directly(const std::filesystem::path& file);

/// Moves what was written at part_of(file) to its place.
/// @return whether that could be done; otherwise what was written is taken away
[[nodiscard]] bool put_in_place(const std::filesystem::path& file);

/// Writes the pieces, one after the other, beside `file` and then in its place: whatever interrupts it leaves the old
/// file or the new one. A link stays, and what it leads to is replaced; a device or a pipe is written to as it is.
/// @return whether that could be done; nothing new is left otherwise
[[nodiscard]] bool replace_file(const std::filesystem::path& file, std::initializer_list<std::string_view> pieces);

}  // namespace dpbudget
