#include "dpbudget/tools/cli/output/plot.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "mechanisms/refused.h"
#include "tools/cli/program.h"

namespace dpbudget::tools {
namespace {

class WritePlot : public testing::Program {
 protected:
  std::string drawn(const Plot& plot) const {
    write_plot(plot, path("plot.svg"));
    std::ifstream in(path("plot.svg"));
    return {std::istreambuf_iterator<char>(in), {}};
  }
};

Plot two_lines() {
  Plot plot;
  plot.lines = {{.title = "first", .x = {0, 1}, .y = {2, 1}}, {.title = "second", .x = {1, 2}, .y = {1, 3}}};
  return plot;
}

const std::string first_colour = "rgb( 17,  17,  17)";
const std::string second_colour = "rgb(176,  42,  29)";

TEST_F(WritePlot, GivesEachLineALookOfItsOwn) {
  const std::string picture = drawn(two_lines());
  EXPECT_NE(picture.find(first_colour), std::string::npos);
  EXPECT_NE(picture.find(second_colour), std::string::npos);
  EXPECT_NE(picture.find("second"), std::string::npos);
}

TEST_F(WritePlot, ContinuesALineInItsColour) {
  Plot plot = two_lines();
  plot.lines[1].continues = true;
  plot.lines[1].title.clear();
  const std::string picture = drawn(plot);
  EXPECT_NE(picture.find(first_colour), std::string::npos);
  EXPECT_EQ(picture.find(second_colour), std::string::npos);
  EXPECT_EQ(picture.find("second"), std::string::npos);
  // The line after it has the next look, as if there had been one line.
  plot.lines.push_back({.title = "third", .x = {0, 2}, .y = {0, 0}});
  EXPECT_NE(drawn(plot).find(second_colour), std::string::npos);
}

TEST_F(WritePlot, DrawsABandInALinesColour) {
  Plot plot = two_lines();
  plot.lines[1].low = {0.5, 2.5};
  plot.lines[1].high = {1.5, 3.5};
  const std::string picture = drawn(plot);
  EXPECT_NE(picture.find("polygon"), std::string::npos);
  EXPECT_EQ(drawn(two_lines()).find("polygon"), std::string::npos);
  // The axis reaches to the band's end.
  EXPECT_NE(picture, drawn(two_lines()));
}

TEST_F(WritePlot, HasNothingToContinueAtTheFirstLine) {
  Plot plot = two_lines();
  plot.lines[0].continues = true;
  EXPECT_EQ(drawn(plot), drawn(two_lines()));
}

TEST_F(WritePlot, RefusesFilesThatItCannotWrite) {
  EXPECT_REFUSED("--plot is figure.bmp, but must end in", write_plot(two_lines(), "figure.bmp"));
  EXPECT_REFUSED("--plot is " + path("missing/figure.svg"), check_plot_file(path("missing/figure.svg")));
}

}  // namespace
}  // namespace dpbudget::tools
