#include "dpbudget/tools/cli/output/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string_view>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/files/cannot_write.h"
#include "dpbudget/fl/files/replace_file.h"
#include "dpbudget/tools/cli/output/output_file.h"

namespace dpbudget::tools {
namespace {

namespace fs = std::filesystem;

// From dark to light, each with a mark of its own, and narrower one by one.
struct Style {
  std::string_view colour;
  int mark;
  double width;
};
constexpr std::array styles = {Style{"#111111", 7, 5},   Style{"#b02a1d", 9, 3},  Style{"#0b5394", 5, 2},
                               Style{"#3d8b37", 13, 2},  Style{"#c77700", 11, 2}, Style{"#8a63c9", 4, 1.8},
                               Style{"#5aa7d6", 6, 1.8}, Style{"#d98cb3", 8, 1.8}};

std::string look_of(const Line& line, std::size_t index) {
  if (line.stroke == Stroke::shadow) return "with lines linecolor rgb '#cccccc' linewidth 10";
  const Style& style = styles.at(index % styles.size());
  if (line.stroke == Stroke::points)
    return fmt::format("with points linecolor rgb '{}' pointtype {} pointsize 1.3", style.colour, style.mark);
  const std::size_t every = std::max<std::size_t>(1, line.x.size() / (7 + index % 3));
  return fmt::format(
      "with linespoints linecolor rgb '{}' linewidth {} dashtype {} pointtype {} pointsize 0.8 pointinterval {}",
      style.colour, style.width, line.stroke == Stroke::dashed ? 2 : 1, style.mark, every);
}

// For a picture of so many columns and rows of panels.
std::string terminal_of(const fs::path& file, std::size_t columns, std::size_t rows) {
  if (file.extension() == ".svg")
    return fmt::format("svg size {},{} font 'DejaVu Sans,14' background rgb 'white'", 860 * columns, 520 * rows);
  if (file.extension() == ".png")
    return fmt::format("pngcairo size {},{} font 'DejaVu Sans,16'", 1290 * columns, 780 * rows);
  if (file.extension() == ".pdf")
    return fmt::format("pdfcairo size {}in,{}in font 'DejaVu Sans,11'", 8.6 * static_cast<double>(columns),
                       5.2 * static_cast<double>(rows));
  throw InvalidArgument(fmt::format("--plot is {}, but must end in .svg, .png or .pdf", file.string()));
}

// In gnuplot's single quotes only the quote itself is special; lines are joined by a double-quoted break.
std::string gnuplot_text(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'')
      result += "''";
    else if (c == '\n')
      result += R"('."\n".')";
    else
      result += c;
  }
  return result + "'";
}

std::string panel(const Plot& plot) {
  std::string script = fmt::format("set title {} noenhanced\nset xlabel {}\nset ylabel {}\n", gnuplot_text(plot.title),
                                   gnuplot_text(plot.x_label), gnuplot_text(plot.y_label));
  script += "set key outside right top Left reverse spacing 1.3\nset grid linecolor rgb '#dddddd'\n";
  for (const auto& [is_log, axis] : {std::pair{plot.has_log_x, 'x'}, std::pair{plot.has_log_y, 'y'}})
    script += is_log ? fmt::format("set logscale {0}\nset format {0} '%g'\n", axis)
                     : fmt::format("unset logscale {0}\n", axis);
  script += "set autoscale xfix\nplot ";  // the axis ends where the lines do
  std::size_t next = 0;
  for (const Line& line : plot.lines) {
    const std::size_t index = line.continues && next > 0 ? next - 1 : next;
    if (&line != plot.lines.data()) script += ", ";
    if (!line.low.empty())
      script +=
          fmt::format("'-' using 1:2:3 with filledcurves fillcolor rgb '{}' fillstyle solid 0.2 noborder notitle, ",
                      styles.at(index % styles.size()).colour);
    script += fmt::format("'-' using 1:2 {} title {}", look_of(line, index), gnuplot_text(line.title));
    if (line.stroke != Stroke::shadow) next = index + 1;
  }
  script += "\n";
  const auto add_points = [&](const std::vector<double>& x, auto... y) {
    for (std::size_t j = 0; j < x.size(); ++j)
      if (std::isfinite(x[j]) && (std::isfinite((*y)[j]) && ...))
        script += fmt::format("{}{}\n", x[j], (... + fmt::format(" {}", (*y)[j])));
    script += "e\n";
  };
  for (const Line& line : plot.lines) {
    if (!line.low.empty()) add_points(line.x, &line.low, &line.high);
    add_points(line.x, &line.y);
  }
  return script;
}

std::string script_of(std::span<const Plot> panels, const fs::path& file) {
  const std::size_t columns = std::min<std::size_t>(panels.size(), 2);
  const std::size_t rows = (panels.size() + columns - 1) / columns;
  std::string script = fmt::format("set terminal {} noenhanced\n", terminal_of(file, columns, rows));
  if (panels.size() > 1) script += fmt::format("set multiplot layout {},{}\n", rows, columns);
  for (const Plot& plot : panels) script += panel(plot);
  return script;
}

// What the script draws, through a pipe: gnuplot itself does not notice when a file cannot be written. Nothing when it
// fails; what it complains of goes to standard error.
std::string drawn_by_gnuplot(const std::string& script) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), std::fclose);
  if (!file || std::fwrite(script.data(), 1, script.size(), file.get()) != script.size() ||
      std::fflush(file.get()) != 0)
    return {};
  std::FILE* pipe = popen(fmt::format("gnuplot /dev/fd/{}", fileno(file.get())).c_str(), "r");
  if (pipe == nullptr) return {};
  std::string picture;
  std::array<char, 65536> piece{};
  while (const std::size_t got = std::fread(piece.data(), 1, piece.size(), pipe)) picture.append(piece.data(), got);
  const bool is_whole = std::ferror(pipe) == 0;
  return pclose(pipe) == 0 && is_whole ? picture : "";
}

bool has_gnuplot() {
  std::FILE* pipe = popen("command -v gnuplot > /dev/null", "r");
  return pipe != nullptr && pclose(pipe) == 0;
}

}  // namespace

void check_plot_file(const std::string& file, const NamedFiles& inputs) {
  terminal_of(file, 1, 1);
  check_output_files({{"--plot", file}}, inputs);
  if (!has_gnuplot())
    throw InvalidArgument("--plot needs the program gnuplot, which is not installed (Debian package gnuplot-nox)");
}

std::string svg_of(const Plot& plot) {
  return has_gnuplot() ? drawn_by_gnuplot(script_of(std::span(&plot, 1), "plot.svg")) : "";
}

void write_plot(const Plot& plot, const std::string& file) { write_plots(std::span(&plot, 1), file); }

void write_plots(std::span<const Plot> panels, const std::string& file) {
  const std::string picture = drawn_by_gnuplot(script_of(panels, file));
  if (picture.empty()) throw InvalidArgument(fmt::format("--plot is {}, but gnuplot could not draw it", file));
  if (!replace_file(file, {picture})) throw CannotWrite(fmt::format("--plot {} could not be written", file));
}

}  // namespace dpbudget::tools
