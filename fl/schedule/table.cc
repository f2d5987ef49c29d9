#include "dpbudget/fl/schedule/table.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <optional>
#include <string_view>

#include "dpbudget/accounting/base/read_number.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/base/split.h"

namespace dpbudget::fl {
namespace {

std::vector<std::string_view> fields(std::string_view line) {
  std::vector<std::string_view> result = dpbudget::split(line, ',');
  for (std::string_view& field : result) field = trimmed(field);
  return result;
}

class Reader {
 public:
  Reader(const std::string& file, std::string_view quantity) : file_(file), quantity_(quantity), in_(file) {
    if (!in_) refuse("cannot be read");
  }

  NoiseTable table() {
    std::string line;
    if (!next(line)) refuse("is empty");
    const std::vector<std::string_view> names = fields(line);
    has_rounds_ = names.size() > 1;
    has_steps_ = names.size() > 2;
    const std::vector<std::string_view> known = has_steps_ ? std::vector<std::string_view>{"round", "step", quantity_}
                                                : has_rounds_ ? std::vector<std::string_view>{"round", quantity_}
                                                              : std::vector<std::string_view>{quantity_};
    if (names != known)
      refuse_line(fmt::format("must name the columns {0}, or round,{0}, or round,step,{0}", quantity_));
    NoiseTable table{{}, 1};
    while (next(line)) add(fields(line), table);
    if (table.noises.empty()) refuse("has no rounds");
    if (has_steps_ && step_ != table.steps) refuse(fmt::format("ends within round {}", round_));
    return table;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw InvalidArgument(fmt::format("{} table {} {}", quantity_, file_, why));
  }
  [[noreturn]] void refuse_line(const std::string& why) const { refuse(fmt::format("line {}: {}", line_, why)); }

  bool next(std::string& line) {
    ++line_;
    return static_cast<bool>(std::getline(in_, line));
  }

  double number(std::string_view name, std::string_view digits) const {
    if (const std::optional<double> value = number_in(digits)) return *value;
    refuse_line(fmt::format("{} is `{}`, which is not a number", name, digits));
  }

  void add(const std::vector<std::string_view>& row, NoiseTable& table) {
    const std::size_t columns = has_steps_ ? 3 : has_rounds_ ? 2 : 1;
    if (row.size() != columns) refuse_line(fmt::format("{} fields, but must be {}", row.size(), columns));
    if (has_steps_)
      advance_step(number("round", row[0]), number("step", row[1]), table);
    else
      advance_round(has_rounds_ ? number("round", row[0]) : static_cast<double>(round_ + 1));
    const double noise = number(quantity_, row.back());
    if (!(0 < noise && std::isfinite(noise)))
      refuse_line(fmt::format("{} is {}, but must be positive and finite", quantity_, noise));
    table.noises.push_back(noise);
  }

  void advance_round(double round) {
    ++round_;
    if (round != static_cast<double>(round_)) refuse_line(fmt::format("round is {}, but must be {}", round, round_));
  }

  // The second round says how many steps the first had.
  void advance_step(double round, double step, NoiseTable& table) {
    const bool starts_round = round_ == 0 || round != static_cast<double>(round_);
    if (starts_round) {
      if (round_ == 1) table.steps = step_;
      if (round_ >= 1 && step_ != table.steps)
        refuse_line(fmt::format("round {} has {} steps, but the first has {}", round_, step_, table.steps));
      advance_round(round);
      step_ = 0;
    }
    ++step_;
    if (round_ == 1) table.steps = step_;
    if (step != static_cast<double>(step_)) refuse_line(fmt::format("step is {}, but must be {}", step, step_));
  }

  std::string file_;
  std::string_view quantity_;
  std::ifstream in_;
  std::uint64_t line_ = 0;
  std::uint64_t round_ = 0;
  std::uint64_t step_ = 0;
  bool has_rounds_ = false;
  bool has_steps_ = false;
};

}  // namespace

NoiseTable read_table(const std::string& file, std::string_view quantity) { return Reader(file, quantity).table(); }

}  // namespace dpbudget::fl
