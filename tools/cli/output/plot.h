/// @file
/// Line plots, drawn by gnuplot.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "dpbudget/tools/cli/output/output_file.h"

namespace dpbudget::tools {

enum class Stroke {
  solid,
  dashed,  ///< for estimates
  points,  ///< marks alone, which no line joins
  shadow,  ///< wide and pale, below the others: what they are to be seen against
};

struct Line {
  std::string title;  ///< empty: the key does not name it
  std::vector<double> x;
  std::vector<double> y;
  Stroke stroke = Stroke::solid;
  std::vector<double> low = {};  ///< with `high`, of a pale band around it; empty: none
  std::vector<double> high = {};
  bool continues = false;  ///< whether it goes on where the line before it ends, and so has that one's colour and mark
};

struct Plot {
  std::string title;
  std::string x_label;
  std::string y_label;
  bool has_log_x = false;
  bool has_log_y = false;
  std::vector<Line> lines;
};

/// Checks that a plot can be written there, before the work whose result it is to show.
/// @param inputs  what is read for it
/// @throws InvalidArgument when the file's name ends in none of .svg, .png and .pdf, its folder does not take it, it is
///         one of the inputs, or gnuplot cannot be run
void check_plot_file(const std::string& file, const NamedFiles& inputs = {});

/// The plot as the text of an SVG file; empty where gnuplot cannot be run.
std::string svg_of(const Plot& plot);

/// Writes several plots as panels of one picture, two in a row, as write_plot.
void write_plots(std::span<const Plot> panels, const std::string& file);

/// Writes the plot, beside its target first and then in its place. Lines differ in lightness, marks and width as well
/// as in colour, so that they can be told apart in print and where they coincide.
/// @throws InvalidArgument when gnuplot fails
/// @throws CannotWrite naming the file that could not be written
void write_plot(const Plot& plot, const std::string& file);

}  // namespace dpbudget::tools
