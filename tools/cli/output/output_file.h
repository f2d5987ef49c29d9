/// @file
/// Files that results go to, looked at before the work whose results they are to hold.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dpbudget::tools {

/// Files, each by the option or argument that names it; an empty name is none.
using NamedFiles = std::vector<std::pair<std::string_view, std::string>>;

/// Checks that `file` can be written; changes nothing.
/// @throws InvalidArgument naming `option`, when the file's folder does not exist
/// @throws CannotWrite naming `option`, when the file cannot be opened for writing
void check_output_file(std::string_view option, const std::string& file);

/// Checks each of the outputs, and that neither one of them nor standard output is another of them or an input, by
/// whatever name or link, which would spoil both. NAME.part counts as well, where NAME may be written first.
/// @param inputs  what is read; those that are not there are for their readers to refuse
/// @throws InvalidArgument as above, or naming the two options
void check_output_files(const NamedFiles& outputs, const NamedFiles& inputs = {});

/// @throws InvalidArgument naming `input`, where it is a pipe or a device: what `option` asks for reads it twice
void require_file(std::string_view option, const std::string& input);

}  // namespace dpbudget::tools
