#include "dpbudget/fl/ledger/as_written.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/read_number.h"
#include "dpbudget/fl/run/traits.h"

namespace dpbudget::fl {
namespace {

bool is_digit(char c) { return '0' <= c && c <= '9'; }

// Goes along a line. Once something is not as expected, `is_lost` stays true and whatever is returned means nothing.
class Cursor {
 public:
  explicit Cursor(std::string_view line) : rest_(line) {}

  bool is_lost() const { return is_lost_; }
  void get_lost() { is_lost_ = true; }
  bool is_at_end() const { return rest_.empty(); }

  // Whether it stands there, which is then passed.
  bool passes(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  void expect(std::string_view text) {
    if (!passes(text)) get_lost();
  }

  std::uint64_t count() {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    const auto length = static_cast<std::size_t>(end - rest_.data());
    // JSON has no leading zeros, and no fraction may follow.
    const bool is_plain = error == std::errc() && (length == 1 || rest_.front() != '0') && value <= ranges::max_count;
    if (!is_plain || (length < rest_.size() && (rest_[length] == '.' || (rest_[length] | 0x20) == 'e'))) get_lost();
    rest_.remove_prefix(length);
    return value;
  }

  double number() {
    const std::size_t length = length_of_number();
    const auto value = length == 0 ? std::nullopt : number_in(rest_.substr(0, length));
    if (!value) get_lost();
    rest_.remove_prefix(length);
    return value.value_or(0);
  }

  double number_from_zero() {
    const double value = number();
    if (!(0 <= value)) get_lost();
    return value;
  }

  double positive_number() {
    const double value = number();
    if (!(0 < value)) get_lost();
    return value;
  }

  // Of small letters and underscores alone.
  std::string_view name() {
    expect("\"");
    const auto end = std::ranges::find_if_not(rest_, [](char c) { return ('a' <= c && c <= 'z') || c == '_'; });
    const std::string_view found = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    rest_.remove_prefix(found.size());
    expect("\"");
    return found;
  }

 private:
  // What of the rest is a number by the grammar of JSON; 0 where none begins.
  std::size_t length_of_number() const {
    std::size_t at = 0;
    const auto digits = [&] {
      const std::size_t first = at;
      while (at < rest_.size() && is_digit(rest_[at])) ++at;
      return at - first;
    };
    const auto is = [&](char c) { return at < rest_.size() && rest_[at] == c; };
    if (is('-')) ++at;
    const bool begins_with_zero = is('0');
    const std::size_t whole = digits();
    if (whole == 0 || (begins_with_zero && whole > 1)) return 0;
    if (is('.')) {
      ++at;
      if (digits() == 0) return 0;
    }
    if (is('e') || is('E')) {
      ++at;
      if (is('+') || is('-')) ++at;
      if (digits() == 0) return 0;
    }
    return at;
  }

  std::string_view rest_;
  bool is_lost_ = false;
};

ReleaseRun release_from(Cursor& at) {
  ReleaseRun run;
  at.expect(R"({"count":)");
  run.count = at.count();
  at.expect(R"(,"mechanism":)");
  run.mechanism = at.name();
  run.clip_norm = std::numeric_limits<double>::infinity();
  if (run.mechanism != traits_of(Mechanism::none).name) {
    at.expect(R"(,"noise_std":)");
    run.noise_std = at.number_from_zero();
    at.expect(R"(,"clip_norm":)");
    run.clip_norm = at.positive_number();
    at.expect(R"(,"noise_sum_of_squares":)");
    run.noise_sum_of_squares = at.number_from_zero();
  }
  at.expect(R"(,"largest_norm":)");
  run.largest_norm = at.number_from_zero();
  at.expect(R"(,"largest_released":)");
  run.largest_released = at.number_from_zero();
  if (run.largest_released > run.largest_norm) at.get_lost();
  at.expect(R"(,"scheme":)");
  run.scheme = at.name();
  at.expect(R"(,"sample":)");
  run.sample = at.count();
  at.expect(R"(,"population":)");
  run.population = at.count();
  if (at.passes(R"(,"first":)")) run.first = at.count();
  if (at.passes(R"(,"pass":)")) run.pass = at.count();
  if (at.passes(R"(,"count_noise":)")) {
    run.count_noise = at.number_from_zero();
    at.expect(R"(,"count_below":)");
    run.count_below = at.number();
    at.expect(R"(,"count_noise_sum_of_squares":)");
    run.count_noise_sum_of_squares = at.number_from_zero();
  }
  at.expect(R"(,"coordinates":)");  // an encoder, which stands before, is rare
  run.coordinates = at.count();
  at.expect("}");
  return run;
}

template <class ReadOne>
auto list_from(Cursor& at, const ReadOne& read_one) {
  std::vector<decltype(read_one(at))> list;
  at.expect("[");
  if (at.passes("]")) return list;
  do list.push_back(read_one(at));
  while (!at.is_lost() && at.passes(","));
  at.expect("]");
  return list;
}

}  // namespace

std::optional<Participation> participation_as_written(std::string_view line) {
  Cursor at(line);
  Participation participation;
  at.expect(R"({"kind":"participation","round":)");
  participation.round = at.count();
  at.expect(R"(,"client":)");
  participation.client = at.count();
  at.expect(R"(,"step_sizes":)");
  participation.step_sizes = list_from(at, [](Cursor& in) { return in.number(); });
  at.expect(R"(,"releases":)");
  participation.releases = list_from(at, release_from);
  at.expect("}");
  if (at.is_lost() || !at.is_at_end()) return std::nullopt;
  return participation;
}

}  // namespace dpbudget::fl
