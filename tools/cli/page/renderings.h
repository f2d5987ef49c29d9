/// @file
/// Pages as files.
#pragma once

#include <string>

#include "dpbudget/tools/cli/page/page.h"

namespace dpbudget::tools {

/// A page by itself, with its style and its pictures inside.
std::string html_of(const PageContent& page);

/// The same as text; of a figure its points, at a dozen places.
std::string markdown_of(const PageContent& page);

/// How the upper and the lower end of a bound are to be read.
std::vector<std::string> reading_aids();

/// What a page rests on, and where that was published: each reference once, in the order in which it is cited.
std::vector<Entry> references_of(const PageContent& page);

/// What computed it: the program and what it was built with.
std::vector<Entry> versions();

/// The points of a figure, the first column being x: at a dozen places at most.
std::vector<Row> points_of(const Plot& plot);

}  // namespace dpbudget::tools
