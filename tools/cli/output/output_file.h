/// @file
/// Files that results go to, looked at before the work whose results they are to hold.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dpbudget::tools {

/// Checks that `file` can be written; changes nothing.
/// @throws InvalidArgument naming `option`, when the file's folder does not exist or does not take it
void check_output_file(std::string_view option, const std::string& file);

/// Checks each of the files, by its option, and that no two are the same, which would spoil both; an empty name is
/// none.
/// @throws InvalidArgument as above, or naming the two options
void check_output_files(const std::vector<std::pair<std::string_view, std::string>>& files);

}  // namespace dpbudget::tools
