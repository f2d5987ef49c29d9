#include "dpbudget/fl/schedule/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "dpbudget/accounting/base/read_number.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/plan/visit.h"
#include "dpbudget/fl/schedule/table.h"

namespace dpbudget::fl {
namespace {

constexpr std::string_view file_prefix = "csv:";
constexpr std::string_view validation = "validation";
constexpr std::string_view renyi_prefix = "renyi:";

// A table may be as long as a book.
constexpr std::size_t most_quoted = 80;

[[noreturn]] void refuse(std::string_view text, const std::string& why) {
  const bool is_whole = text.size() <= most_quoted;
  throw InvalidArgument(
      fmt::format("schedule is {}{}, but {}", text.substr(0, most_quoted), is_whole ? "" : "...", why));
}

// The parts of `list` between separators, of which there is one at least.
std::vector<std::string_view> parts_of(std::string_view list, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t start = 0;;) {
    const std::size_t end = list.find(separator, start);
    parts.push_back(list.substr(start, end - start));
    if (end == std::string_view::npos) return parts;
    start = end + 1;
  }
}

// The settings "name=value,name=value" of a shape, each taken by name once.
class Settings {
 public:
  Settings(std::string_view text, std::string_view list) : text_(text) {
    while (!list.empty()) {
      const std::string_view item = list.substr(0, list.find(','));
      list.remove_prefix(item.size() == list.size() ? list.size() : item.size() + 1);
      const std::size_t equals = item.find('=');
      if (equals == std::string_view::npos) refuse(text_, fmt::format("`{}` is not of the form name=value", item));
      if (!values_.emplace(item.substr(0, equals), item.substr(equals + 1)).second)
        refuse(text_, fmt::format("{} is given twice", item.substr(0, equals)));
    }
  }

  double real(std::string_view name) {
    const std::string_view digits = taken(name);
    return valid(name, digits, number_in(digits), "a number");
  }
  std::uint64_t count(std::string_view name) {
    const std::string_view digits = taken(name);
    return valid(name, digits, integer_in<std::uint64_t>(digits), "an integer");
  }
  // Separated by semicolons.
  std::vector<std::uint64_t> counts(std::string_view name) {
    std::vector<std::uint64_t> all;
    for (const std::string_view digits : parts_of(taken(name), ';'))
      all.push_back(valid(name, digits, integer_in<std::uint64_t>(digits), "an integer"));
    return all;
  }
  std::optional<std::string_view> text(std::string_view name) {
    return values_.contains(name) ? std::optional(taken(name)) : std::nullopt;
  }
  std::uint64_t count_or(std::string_view name, std::uint64_t fallback) {
    return values_.contains(name) ? count(name) : fallback;
  }

  void done() const {
    if (!values_.empty()) refuse(text_, fmt::format("{} is no setting of this shape", values_.begin()->first));
  }

 private:
  std::string_view taken(std::string_view name) {
    const auto found = values_.find(name);
    if (found == values_.end()) refuse(text_, fmt::format("{} is missing", name));
    const std::string_view value = found->second;
    values_.erase(found);
    return value;
  }

  template <class Number>
  Number valid(std::string_view name, std::string_view digits, std::optional<Number> value,
               std::string_view kind) const {
    if (value) return *value;
    refuse(text_, fmt::format("{} is `{}`, which is not {}", name, digits, kind));
  }

  std::string_view text_;
  std::map<std::string_view, std::string_view> values_;
};

double factor_of(std::string_view text, std::string_view digits) {
  if (const auto factor = number_in(digits)) return *factor;
  refuse(text, fmt::format("factor is `{}`, which is not a number", digits));
}

InverseDecay inverse_of(std::string_view text, std::string_view list) {
  const std::vector<std::string_view> numbers = parts_of(list, ',');
  if (numbers.size() != 2) refuse(text, "inverse needs two numbers: inverse:A,B");
  const auto scale = number_in(numbers[0]);
  const auto offset = number_in(numbers[1]);
  if (!scale || !offset) refuse(text, "A and B of inverse:A,B must be numbers");
  return {*scale, *offset};
}

NoiseTable table_of(std::string_view text, std::string_view list) {
  NoiseTable table{{}, 0};
  std::uint64_t round = 0;
  for (const std::string_view row : parts_of(list, ';')) {
    ++round;
    const std::vector<std::string_view> steps = parts_of(row, ',');
    if (table.steps == 0) table.steps = steps.size();
    if (steps.size() != table.steps)
      refuse(text, fmt::format("round {} has {} steps, and the first has {}", round, steps.size(), table.steps));
    for (const std::string_view digits : steps) {
      const auto noise = number_in(digits);
      if (!noise) refuse(text, fmt::format("the noise of round {} is `{}`, which is not a number", round, digits));
      table.noises.push_back(*noise);
    }
  }
  return table;
}

std::string table_text(const NoiseTable& table) {
  std::string text = "table:";
  for (std::size_t i = 0; i < table.noises.size(); ++i) {
    if (i > 0) text += i % table.steps == 0 ? ';' : ',';
    fmt::format_to(std::back_inserter(text), "{}", table.noises[i]);
  }
  return text;
}

NoiseShape shape_of(std::string_view text, std::string_view name, std::string_view rest) {
  const auto settled = [&](const auto& make) -> NoiseShape {
    Settings settings(text, rest);
    const auto shape = make(settings);
    settings.done();
    return shape;
  };
  if (name == "constant") return settled([](Settings&) { return ConstantNoise{}; });
  if (name == "chang1") return settled([](Settings& s) { return RoundDecay{s.real("beta"), s.count_or("hold", 0)}; });
  if (name == "chang2") return settled([](Settings& s) { return StepDecay{s.real("beta"), s.count_or("hold", 0)}; });
  if (name == "exponential") return ExponentialDecay{factor_of(text, rest)};
  if (name == "step") return settled([](Settings& s) { return Staircase{s.real("factor"), s.count("every")}; });
  if (name == "milestones")
    return settled([](Settings& s) { return Milestones{s.real("factor"), s.counts("rounds")}; });
  if (name == "inverse-sqrt") return settled([](Settings&) { return InverseRoot{}; });
  if (name == "inverse") return inverse_of(text, rest);
  if (name == "table") return table_of(text, rest);
  if (name == validation)
    refuse(text, "which noise that is, a model that is trained decides: for `dpbudget simulate` alone");
  refuse(text,
         "must be one of constant, chang1:..., chang2:..., exponential:FACTOR, step:..., inverse-sqrt, inverse:A,B, "
         "milestones:..., table:... and csv:FILE");
}

// What stands before the first colon, and after it.
std::pair<std::string_view, std::string_view> named_part(std::string_view text) {
  const std::size_t colon = text.find(':');
  return {text.substr(0, colon), colon == std::string_view::npos ? "" : text.substr(colon + 1)};
}

filter::Measure measure_of(std::string_view text, std::string_view filter) {
  if (filter == "gaussian") return filter::Gaussians{};
  if (filter == "zcdp") return filter::ZeroConcentrated{};
  const auto order = filter.starts_with(renyi_prefix) ? number_in(filter.substr(renyi_prefix.size())) : std::nullopt;
  if (!order) refuse(text, fmt::format("filter is `{}`, which is not gaussian, zcdp or renyi:ORDER", filter));
  return filter::AtOrder{*order};
}

std::string measure_text(const filter::Measure& measure) {
  return std::visit(Overloaded{[](const filter::AtOrder& at) { return fmt::format("{}{}", renyi_prefix, at.order); },
                               [](const filter::ZeroConcentrated&) { return std::string("zcdp"); },
                               [](const filter::Gaussians&) { return std::string("gaussian"); }},
                    measure);
}

// What is not in its range is told with the text that it stands in.
template <class Read>
void check_within(std::string_view text, const Read& read) {
  try {
    check(read);
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(fmt::format("schedule is {}, where {}", text, error.what()));
  }
}

}  // namespace

NoiseShape parse_shape(std::string_view text, std::string_view quantity) {
  const auto [name, rest] = named_part(text);
  if (text == "csv" || text == file_prefix) refuse(text, "csv needs a file: csv:FILE");
  if (const auto file = file_of(text)) return read_table(*file, quantity);
  NoiseShape shape = shape_of(text, name, rest);
  check_within(text, shape);
  return shape;
}

std::optional<ValidationNoise> validation_of(std::string_view text) {
  const auto [name, rest] = named_part(text);
  if (name != validation) return std::nullopt;
  Settings settings(text, rest);
  ValidationNoise noise{settings.real("factor"), settings.count("patience"), std::nullopt};
  if (const auto filter = settings.text("filter")) noise.filter = measure_of(text, *filter);
  settings.done();
  check_within(text, noise);
  return noise;
}

std::string to_text(const ValidationNoise& noise) {
  const std::string text = fmt::format("{}:factor={},patience={}", validation, noise.factor, noise.patience);
  return noise.filter ? fmt::format("{},filter={}", text, measure_text(*noise.filter)) : text;
}

std::string to_text(const NoiseShape& shape) {
  return std::visit(Overloaded{
                        [](const ConstantNoise&) { return std::string("constant"); },
                        [](const RoundDecay& s) { return fmt::format("chang1:beta={},hold={}", s.beta, s.hold); },
                        [](const StepDecay& s) { return fmt::format("chang2:beta={},hold={}", s.beta, s.hold); },
                        [](const ExponentialDecay& s) { return fmt::format("exponential:{}", s.factor); },
                        [](const Staircase& s) { return fmt::format("step:factor={},every={}", s.factor, s.every); },
                        [](const NoiseTable& s) { return table_text(s); },
                        [](const Milestones& s) {
                          return fmt::format("milestones:factor={},rounds={}", s.factor, fmt::join(s.rounds, ";"));
                        },
                        [](const InverseRoot&) { return std::string("inverse-sqrt"); },
                        [](const InverseDecay& s) { return fmt::format("inverse:{},{}", s.scale, s.offset); },
                    },
                    shape);
}

std::optional<std::string> file_of(std::string_view text) {
  if (!text.starts_with(file_prefix)) return std::nullopt;
  return std::string(text.substr(file_prefix.size()));
}

std::string without_file(std::string_view text) {
  return file_of(text) ? to_text(parse_shape(text)) : std::string(text);
}

}  // namespace dpbudget::fl
