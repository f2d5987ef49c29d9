/// @file
/// Tables of a plan that stand in files: `profile(@FILE)`, `renyi(@FILE)`.
#pragma once

#include <string>

#include "dpbudget/tools/cli/output/output_file.h"

namespace dpbudget::tools {

/// The files that a plan's text names.
NamedFiles table_files(const std::string& plan);

/// The plan's text with the rows of its files in the place of `@FILE`. A row is two numbers, separated by a comma or by
/// spaces; a first row of names is left aside, and so is what follows a #.
/// @throws InvalidArgument naming the file, and the line that is no row
std::string with_tables(const std::string& plan);

}  // namespace dpbudget::tools
