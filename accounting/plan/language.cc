#include "dpbudget/accounting/plan/language.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

#include "dpbudget/accounting/base/character.h"
#include "dpbudget/accounting/base/nearest.h"
#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/read_number.h"
#include "dpbudget/accounting/plan/adjacency_choices.h"
#include "dpbudget/accounting/plan/each_field.h"

namespace dpbudget {
namespace {

constexpr int max_depth = 200;  // of nesting: deeper text is a mistake, and would exhaust the stack

std::vector<std::string> known_names() {
  std::vector<std::string> names;
  each_kind([&]<class Kind>(std::type_identity<Kind>) {
    if constexpr (is_named<Kind>) names.emplace_back(Kind::name.text);
  });
  names.emplace_back("nothing");
  return names;
}

// Whether a comma stands before every three digits from the last, and nowhere else: "14,062".
bool has_separated_thousands(std::string_view digits) {
  for (std::size_t i = 0; i < digits.size(); ++i)
    if ((digits[i] == ',') != ((digits.size() - i) % 4 == 0)) return false;
  return digits.size() > 3;
}

class Parser {
 public:
  /// @param what  that the text is
  explicit Parser(std::string_view text, std::string_view what = "plan") : text_(text), what_(what) {}

  Trials only_trials() {
    Trials result = trials();
    if (peek() < text_.size())
      fail(position_, fmt::format("unexpected `{}` after the trials", shown_character(text_, position_)));
    return result;
  }

  ParsedPlan plan() {
    ParsedPlan result{event(), std::nullopt};
    const std::size_t at = peek();
    if (take_word("under")) {
      const std::size_t name_at = peek();
      const std::string_view name = word();
      result.adjacency = adjacency_named(name);
      if (!result.adjacency)
        fail(name_at, fmt::format("unknown adjacency `{}`, but it must be {}", name, adjacency_choices(name)));
    } else if (at < text_.size()) {
      fail(at, fmt::format("unexpected `{}` after the plan", shown_character(text_, at)));
    }
    if (peek() < text_.size())
      fail(position_, fmt::format("unexpected `{}` after the plan", shown_character(text_, position_)));
    return result;
  }

 private:
  [[noreturn]] void fail(std::size_t at, const std::string& reason) const {
    const std::size_t before = text_.rfind('\n', at == 0 ? 0 : at - 1);
    const std::size_t start = at == 0 || before == std::string_view::npos ? 0 : before + 1;
    std::string line(text_.substr(start, text_.find('\n', start) - start));
    std::ranges::replace_if(line, [](unsigned char c) { return std::iscntrl(c) != 0; }, ' ');
    const std::size_t column = character_count(text_.substr(start, at - start)) + 1;
    throw PlanError(fmt::format("{}, column {}: {}\n  {}\n  {:>{}}", what_, column, reason, line, "^", column));
  }

  // Moves to the next character that is neither white space nor comment.
  std::size_t peek() {
    while (position_ < text_.size()) {
      if (text_[position_] == '#')
        position_ = std::min(text_.find('\n', position_), text_.size());
      else if (std::isspace(static_cast<unsigned char>(text_[position_])))
        ++position_;
      else
        break;
    }
    return position_;
  }

  bool take(char symbol) {
    if (peek() >= text_.size() || text_[position_] != symbol) return false;
    ++position_;
    return true;
  }

  void expect(char symbol, std::string_view where) {
    if (!take(symbol))
      fail(position_,
           position_ < text_.size()
               ? fmt::format("expected `{}` {}, found `{}`", symbol, where, shown_character(text_, position_))
               : fmt::format("expected `{}` {}, but the {} ends here", symbol, where, what_));
  }

  // The word at the next character: letters, digits and underscores, possibly none.
  std::string_view word() {
    const std::size_t start = peek();
    while (position_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[position_])) || text_[position_] == '_'))
      ++position_;
    return text_.substr(start, position_ - start);
  }

  bool take_word(std::string_view expected) {
    const std::size_t start = peek();
    if (word() == expected) return true;
    position_ = start;
    return false;
  }

  bool at_number() {
    if (peek() >= text_.size()) return false;
    const char c = text_[position_];
    return std::isdigit(static_cast<unsigned char>(c)) || c == '.' || c == '-' || c == '+' || c == '?' ||
           text_.substr(position_, 3) == "nan" || text_.substr(position_, 3) == "inf";
  }

  void mark_unknown(std::size_t at) {
    if (has_unknown_) fail(at, "a second `?`, but a plan has one unknown at most");
    has_unknown_ = true;
  }

  double number(std::string_view name) {
    const std::size_t start = peek();
    const auto [value, length] = leading_number(text_.substr(start));
    if (length == 0) fail(start, fmt::format("expected a number for {}", name));
    position_ = start + length;
    if (!value)
      fail(start,
           fmt::format("{} is {}, but must be a number that a double can hold", name, text_.substr(start, length)));
    return *value;
  }

  // Runs a range check and points at the argument when it fails.
  template <class Check>
  void in_range(std::size_t at, Check&& check) const {
    try {
      check();
    } catch (const InvalidArgument& error) {
      fail(at, error.what());
    }
  }

  Real real(std::string_view name, void (*range)(double)) {
    const std::size_t at = peek();
    if (take('?')) {
      mark_unknown(at);
      return Real::unknown();
    }
    const double value = number(name);
    in_range(at, [&] { range(value); });
    return value;
  }

  // @param least  that `range` allows, for what is no integer at all
  std::uint64_t integer(std::string_view name, void (*range)(std::uint64_t), int least) {
    const std::size_t at = peek();
    number(name);
    const std::string_view digits = text_.substr(at, position_ - at);
    const std::optional<std::uint64_t> value = count_in(digits);
    if (!value) fail(at, fmt::format("{} is {}, but must be an integer in [{}, 2^53]", name, digits, least));
    in_range(at, [&] { range(*value); });
    return *value;
  }

  Count count(std::string_view name, void (*range)(std::uint64_t), int least) {
    const std::size_t at = peek();
    if (!take('?')) return integer(name, range, least);
    mark_unknown(at);
    return Count::unknown();
  }

  Rate rate() {
    const std::size_t at = peek();
    if (take('?')) {
      mark_unknown(at);
      return Real::unknown();
    }
    const double value = number("rate");
    const std::size_t end = position_;
    if (!take_of()) {
      in_range(at, [&] { ranges::rate(value); });
      return value;
    }
    position_ = at;
    const std::uint64_t drawn = integer("drawn", ranges::count, 0);
    position_ = end;
    take_of();
    const std::uint64_t population = integer("population", ranges::count, 1);
    in_range(at, [&] { ranges::fraction(drawn, population); });
    return {drawn, population};
  }

  Draws draws(std::string_view name) {
    const Count number = count(name, ranges::draws, 1);
    if (!take_of())
      fail(peek(), fmt::format("expected `of` and the number of records after {}, as in `256 of 60000`", name));
    return {number, integer("population", ranges::population, 1)};
  }

  Trials trials() {
    const std::size_t at = peek();
    const std::string_view name = word();
    const bool is_poisson = name == "poisson";
    const bool is_geometric = name == "geometric";
    if (!is_poisson && !is_geometric && name != "negative_binomial")
      fail(at, fmt::format("expected how many runs there are: poisson(mean), geometric(gamma) or "
                           "negative_binomial(eta, gamma); the nearest is `{}`",
                           nearest(name, std::array<std::string, 3>{"poisson", "geometric", "negative_binomial"})));
    expect('(', fmt::format("after `{}`", name));
    Trials result =
        is_poisson ? Trials{Trials::Poisson{real("mean", ranges::mean_trials)}} : of_two_numbers(is_geometric);
    expect(')', fmt::format("to close `{}`", name));
    return result;
  }

  Trials of_two_numbers(bool is_geometric) {
    double eta = 1;
    if (!is_geometric) {
      eta = known("eta", ranges::eta);
      expect(',', "before gamma");
    }
    return {Trials::NegativeBinomial{eta, known("gamma", ranges::gamma)}};
  }

  double known(std::string_view name, void (*range)(double)) {
    const std::size_t at = peek();
    if (take('?'))
      fail(at, fmt::format("{} is ?, but must be a number: of trials the mean of poisson may be unknown", name));
    const double value = number(name);
    in_range(at, [&] { range(value); });
    return value;
  }

  Steps steps() {
    const std::size_t at = peek();
    const Count first = count("steps", ranges::steps, 1);
    if (!take_of()) return first;
    if (first.is_unknown()) fail(at, "times is ?, but must be a number: of how many steps may be unknown");
    Steps dealt(first.value(), count("steps", ranges::steps, 1));
    if (!dealt.number.is_unknown()) in_range(at, [&] { ranges::times(dealt.times, dealt.value()); });
    return dealt;
  }

  // Between the numbers of an exact rate, or of draws.
  bool take_of() { return take('/') || take_word("of"); }

  Event event() {
    if (++depth_ > max_depth) fail(peek(), fmt::format("more than {} levels of nesting", max_depth));
    std::vector<Event> parts{term()};
    while (take('+')) parts.push_back(term());
    --depth_;
    return compose(std::move(parts));
  }

  Event term() {
    if (!at_number()) return factor();
    if (++depth_ > max_depth) fail(peek(), fmt::format("more than {} levels of nesting", max_depth));
    const Count count = repetitions();
    if (!take('*') && !take_word("x")) fail(peek(), "expected `x` after a count, as in `600 x gaussian(1)`");
    Event repeated = Repeated{count, term()};
    --depth_;
    return repeated;
  }

  // A count whose thousands may be separated, as this program prints them: no other number stands before a comma here.
  Count repetitions() {
    const std::size_t at = peek();
    const std::string_view digits = text_.substr(at, text_.find_first_not_of("0123456789,", at) - at);
    if (!has_separated_thousands(digits)) return count("count", ranges::count, 0);
    position_ = at + digits.size();
    std::string without(digits);
    std::erase(without, ',');
    const std::optional<std::uint64_t> value = count_in(without);
    if (!value) fail(at, fmt::format("count is {}, but must be an integer in [0, 2^53]", digits));
    return *value;
  }

  Event factor() {
    const std::size_t at = peek();
    if (take('(')) {
      Event inside = event();
      expect(')', "to close the bracket");
      return inside;
    }
    const std::string_view name = word();
    if (name.empty())
      fail(at, at < text_.size() ? fmt::format("expected an event, found `{}`", shown_character(text_, at))
                                 : std::string("expected an event, but the plan ends here"));
    if (name == "nothing") return Composed{};
    return named(name, at);
  }

  Event named(std::string_view name, std::size_t at) {
    std::optional<Event> event;
    each_kind([&]<class Kind>(std::type_identity<Kind>) {
      if constexpr (is_named<Kind>)
        if (Kind::name.text == name) event = call<Kind>();
    });
    if (!event) {
      const std::vector<std::string> known = known_names();
      fail(at, fmt::format("unknown name `{}`; the nearest is `{}`, known are {}", name, nearest(name, known),
                           fmt::join(known, ", ")));
    }
    in_range(at, [&] { check(*event); });
    return *std::move(event);
  }

  template <class Kind>
  Event call() {
    expect('(', fmt::format("after `{}`", Kind::name.text));
    bool is_first = true;
    Event event = made_of<Kind>([&](const auto& field) {
      if (!std::exchange(is_first, false)) separate(field);
      return argument(field);
    });
    expect(')', fmt::format("to close `{}`", Kind::name.text));
    return event;
  }

  Table table(std::string_view first, std::string_view second) {
    Table rows;
    do {
      const double left = number(first);
      expect(':', fmt::format("between {} and {}", first, second));
      rows.push_back({left, number(second)});
    } while (take(','));
    return rows;
  }

  template <class Field>
  void separate(const Field& field) {
    expect(',', fmt::format("before {}", field.name));
  }
  template <class Kind>
  void separate(const fields::InnerField<Kind>&) {
    expect(',', "before the event");
  }
  template <class Kind>
  void separate(const fields::TableField<Kind>& field) {
    expect(';', fmt::format("before {}", field.name));
  }
  template <class Kind>
  void separate(const fields::OptionalField<Kind>&) {}
  template <class Kind>
  void separate(const fields::FlagField<Kind>&) {}

  template <class Kind>
  Real argument(const fields::RealField<Kind>& field) {
    return real(field.name, field.range);
  }
  template <class Kind>
  Count argument(const fields::CountField<Kind>& field) {
    return count(field.name, field.range, field.least);
  }
  template <class Kind>
  std::uint64_t argument(const fields::IntegerField<Kind>& field) {
    return integer(field.name, field.range, field.least);
  }
  template <class Kind>
  std::uint64_t argument(const fields::OptionalField<Kind>& field) {
    return take(',') ? integer(field.name, field.range, field.least) : field.usual;
  }
  template <class Kind>
  bool argument(const fields::FlagField<Kind>& field) {
    if (!take(',')) return false;
    if (!take_word(field.name)) fail(peek(), fmt::format("expected `{}`, or a bracket to close", field.name));
    return true;
  }
  template <class Kind>
  Rate argument(const fields::RateField<Kind>&) {
    return rate();
  }
  template <class Kind>
  Draws argument(const fields::DrawsField<Kind>& field) {
    return draws(field.name);
  }
  template <class Kind>
  Trials argument(const fields::TrialsField<Kind>&) {
    return trials();
  }
  template <class Kind>
  Steps argument(const fields::StepsField<Kind>&) {
    return steps();
  }
  template <class Kind>
  Table argument(const fields::TableField<Kind>& field) {
    const std::size_t at = peek();
    Table rows = table(field.first, field.second);
    in_range(at, [&] { field.range(rows); });
    return rows;
  }
  template <class Kind>
  Event argument(const fields::InnerField<Kind>&) {
    return event();
  }

  std::string_view text_;
  std::string_view what_;
  std::size_t position_ = 0;
  int depth_ = 0;
  bool has_unknown_ = false;
};

}  // namespace

ParsedPlan parse(std::string_view text) { return Parser(text).plan(); }

Trials parse_trials(std::string_view text) { return Parser(text, "trials").only_trials(); }

Plan parse_plan(std::string_view text, std::optional<Adjacency> adjacency) { return plan_of(parse(text), adjacency); }

Plan plan_of(ParsedPlan parsed, std::optional<Adjacency> adjacency) {
  if (adjacency && parsed.adjacency && *adjacency != *parsed.adjacency)
    throw InvalidArgument(fmt::format("adjacency is {}, but the plan says under {}", to_string(*adjacency),
                                      to_string(*parsed.adjacency)));
  if (!adjacency) adjacency = parsed.adjacency;
  if (!adjacency) adjacency = natural_adjacency(parsed.event);
  if (!adjacency)
    throw InvalidArgument(
        "adjacency is missing: the plan mixes poisson, truncated_poisson or mixture, analysed under add_or_remove_one, "
        "with wor, with_replacement or shuffle, analysed under replace_one; name one with `under`");
  return {std::move(parsed.event), *adjacency};
}

}  // namespace dpbudget
