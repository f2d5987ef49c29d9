#include "dpbudget/fl/ledger/lines.h"

#include <fmt/format.h>

#include <cmath>
#include <concepts>
#include <limits>

#include "dpbudget/accounting/base/read_number.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/plan/json.h"
#include "dpbudget/fl/run/fields.h"
#include "dpbudget/fl/schedule/text.h"

namespace dpbudget::fl {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

const Line& member(const Line& object, const char* key) {
  if (!object.is_object()) throw InvalidArgument(fmt::format("`{}` is looked for in what is no JSON object", key));
  const auto found = object.find(key);
  if (found == object.end()) throw InvalidArgument(fmt::format("`{}` is missing", key));
  return *found;
}

[[noreturn]] void refuse(const char* key, const Line& given, std::string_view allowed) {
  throw InvalidArgument(fmt::format("`{}` is {}, but must be {}", key, given.dump(), allowed));
}

// nlohmann's own conversions would round 3.7 to 3 and wrap -1 around.
template <class Value>
Value read(const Line& object, const char* key) {
  const Line& value = member(object, key);
  if constexpr (std::unsigned_integral<Value>) {
    if (!value.is_number_unsigned()) refuse(key, value, "an integer of at least 0");
  } else if constexpr (std::floating_point<Value>) {
    if (!value.is_number()) refuse(key, value, "a number");
  } else {
    if (!value.is_string()) refuse(key, value, "text");
  }
  return value.get<Value>();
}

std::vector<std::uint64_t> read_integers(const Line& object, const char* key) {
  const Line& values = member(object, key);
  if (!values.is_array()) refuse(key, values, "an array of integers");
  for (const Line& value : values)
    if (!value.is_number_unsigned()) refuse(key, value, "an array of integers of at least 0");
  return values.get<std::vector<std::uint64_t>>();
}

const Line& read_array(const Line& object, const char* key) {
  const Line& values = member(object, key);
  if (!values.is_array()) refuse(key, values, "an array");
  return values;
}

template <class Value>
Value named(const char* key, const Line& object, std::optional<Value> (*by_name)(std::string_view)) {
  const auto name = read<std::string>(object, key);
  const auto value = by_name(name);
  if (!value) refuse(key, Line(name), "a known name");
  return *value;
}

constexpr std::optional<Phase> phase_named(std::string_view name) {
  if (name == "warm_start") return Phase::warm_start;
  if (name == "training") return Phase::training;
  return std::nullopt;
}

constexpr std::optional<Guarantee> guarantee_named(std::string_view name) {
  for (const Guarantee guarantee : {Guarantee::proven, Guarantee::estimate})
    if (to_string(guarantee) == name) return guarantee;
  return std::nullopt;
}

// JSON has no infinity: no clipping is null.
Line number_line(double value) { return value == infinity ? Line() : Line(value); }

double read_number(const Line& object, const char* key) {
  return member(object, key).is_null() ? infinity : read<double>(object, key);
}

template <class Value>
Line value_line(const Value& value) {
  if constexpr (std::same_as<Value, double>)
    return number_line(value);
  else if constexpr (Named<Value>)
    return to_string(value);
  else
    return value;
}

template <class Value>
Value read_value(const Line& object, const char* key) {
  if constexpr (std::same_as<Value, double>)
    return read_number(object, key);
  else if constexpr (Named<Value>)
    return named(key, object, choice_named<Value>);
  else
    return read<Value>(object, key);
}

std::vector<double> read_numbers(const Line& object, const char* key) {
  const Line& values = member(object, key);
  if (!values.is_array()) refuse(key, values, "an array of numbers");
  for (const Line& value : values)
    if (!value.is_number()) refuse(key, value, "an array of numbers");
  return values.get<std::vector<double>>();
}

Run run_from(const Line& line) {
  Run run;
  visit_fields(run, [&]<class Value>(const Field& field, Value& value) {
    const bool is_there = line.is_object() && line.contains(field.key);
    if constexpr (std::same_as<Value, std::vector<double>>) {
      if (is_there) value = read_numbers(line, field.key);
    } else if constexpr (requires { value.has_value(); }) {
      if (is_there) value = read_value<typename Value::value_type>(line, field.key);
    } else {
      value = read_value<Value>(line, field.key);
    }
  });
  // A file may have changed since, or belong to somebody else.
  if (names_file(run.schedule)) refuse("schedule", Line(run.schedule), "one that names no file");
  check(run);
  // What was executed had a noise, whatever budget it was found for.
  if (!run.silo_epsilon.empty()) member(line, "silo_noise");
  run = completed(run);
  // Written down when the run was complete: what is missing must not be filled in by a default.
  const Line whole = to_line(run);
  for (const auto& item : whole.items()) member(line, item.key().c_str());
  return run;
}

Line sizes_line(const Sizes& sizes) {
  Line line = {{"clients", sizes.clients}, {"records", sizes.records}, {"dimension", sizes.dimension}};
  if (sizes.all_records) line["all_records"] = *sizes.all_records;
  if (sizes.noise_multiplier) line["noise"] = *sizes.noise_multiplier;
  return line;
}

Sizes sizes_from(const Line& line) {
  Sizes sizes{read<std::uint64_t>(line, "clients"), read<std::uint64_t>(line, "records")};
  if (line.contains("all_records")) sizes.all_records = read<std::uint64_t>(line, "all_records");
  sizes.dimension = read<std::uint64_t>(line, "dimension");
  if (line.contains("noise")) sizes.noise_multiplier = read<double>(line, "noise");
  return sizes;
}

Line view_line(const PlannedView& view) {
  return {{"adversary", to_string(view.adversary)},
          {"basis", to_string(view.basis)},
          {"sizes", sizes_line(view.sizes)},
          {"guarantee", to_string(view.plan.guarantee)},
          {"plan", to_json(view.plan.plan)},
          {"source", view.plan.source},
          {"notes", view.plan.notes}};
}

PlannedView view_from(const Line& line) {
  const Line& notes = read_array(line, "notes");
  for (const Line& note : notes)
    if (!note.is_string()) refuse("notes", note, "an array of texts");
  return {named("adversary", line, choice_named<Adversary>), named("basis", line, choice_named<Basis>),
          sizes_from(member(line, "sizes")),
          AdversaryPlan{plan_from_json(nlohmann::json(member(line, "plan"))), named("guarantee", line, guarantee_named),
                        read<std::string>(line, "source"), notes.get<std::vector<std::string>>()}};
}

Line encoder_line(const mechanisms::BinomialEncoder& encoder) {
  return {{"lower", encoder.lower},
          {"upper", encoder.upper},
          {"granularity", encoder.granularity},
          {"noise_bits", encoder.noise_bits},
          {"probability", encoder.probability}};
}

mechanisms::BinomialEncoder encoder_from(const Line& line) {
  return {read<double>(line, "lower"), read<double>(line, "upper"), read<std::uint64_t>(line, "granularity"),
          read<std::uint64_t>(line, "noise_bits"), read<double>(line, "probability")};
}

Line release_line(const ReleaseRun& run) {
  Line line = {{"count", run.count}, {"mechanism", run.mechanism}};
  if (run.mechanism != ReleaseRun::no_guarantee) {
    line["noise_std"] = run.noise_std;
    line["clip_norm"] = run.clip_norm;
    line["noise_sum_of_squares"] = run.noise_sum_of_squares;
  }
  line["largest_norm"] = run.largest_norm;
  line["largest_released"] = run.largest_released;
  line["scheme"] = run.scheme;
  line["sample"] = run.sample;
  line["population"] = run.population;
  if (run.first) line["first"] = *run.first;
  if (run.count_noise) {
    line["count_noise"] = *run.count_noise;
    line["count_below"] = run.count_below;
    line["count_noise_sum_of_squares"] = run.count_noise_sum_of_squares;
  }
  if (run.encoder) line["encoder"] = encoder_line(*run.encoder);
  line["coordinates"] = run.coordinates;
  return line;
}

ReleaseRun release_from(const Line& line) {
  ReleaseRun run;
  run.count = read<std::uint64_t>(line, "count");
  run.mechanism = read<std::string>(line, "mechanism");
  run.clip_norm = infinity;
  if (run.mechanism != ReleaseRun::no_guarantee) {
    run.noise_std = read<double>(line, "noise_std");
    run.clip_norm = read<double>(line, "clip_norm");
    run.noise_sum_of_squares = read<double>(line, "noise_sum_of_squares");
  }
  run.largest_norm = read<double>(line, "largest_norm");
  run.largest_released = read<double>(line, "largest_released");
  run.scheme = read<std::string>(line, "scheme");
  run.sample = read<std::uint64_t>(line, "sample");
  run.population = read<std::uint64_t>(line, "population");
  if (line.contains("first")) run.first = read<std::uint64_t>(line, "first");
  if (line.contains("count_noise")) {
    run.count_noise = read<double>(line, "count_noise");
    run.count_below = read<double>(line, "count_below");
    run.count_noise_sum_of_squares = read<double>(line, "count_noise_sum_of_squares");
  }
  if (line.contains("encoder")) run.encoder = encoder_from(member(line, "encoder"));
  run.coordinates = read<std::uint64_t>(line, "coordinates");
  return run;
}

}  // namespace

Line to_line(const Run& run) {
  Line line = Line::object();
  visit_fields(run, [&]<class Value>(const Field& field, const Value& value) {
    if constexpr (std::same_as<Value, std::vector<double>>) {
      if (!value.empty()) line[field.key] = value;
    } else if constexpr (requires { value.has_value(); }) {
      if (value) line[field.key] = value_line(*value);
    } else {
      line[field.key] = value_line(value);
    }
  });
  return line;
}

Line to_line(const LedgerHeader& header) {
  Line plans = Line::array();
  for (const PlannedView& view : header.plans) plans.push_back(view_line(view));
  return {{"kind", header_kind},
          {"version", ledger_version},
          {"adjacency", to_string(Adjacency::replace_one)},
          {"run", to_line(header.run)},
          {"clients", header.clients},
          {"dimension", header.dimension},
          {"data", header.data},
          {"fingerprint", fmt::format("{:016x}", header.fingerprint)},
          {"plans", plans}};
}

Line to_line(const RoundEntry& round) {
  const Participants& drawn = round.participants;
  Line line = {{"kind", round_kind},
               {"round", round.round},
               {"phase", round.phase == Phase::training ? "training" : "warm_start"},
               {"scheme", drawn.scheme},
               {"drawn", drawn.drawn},
               {"population", drawn.population}};
  if (drawn.rate > 0) line["rate"] = drawn.rate;
  line["participants"] = drawn.clients;
  if (!drawn.times.empty()) line["times"] = drawn.times;
  line["weights"] = drawn.weights;
  return line;
}

Line to_line(const Participation& participation) {
  Line releases = Line::array();
  for (const ReleaseRun& run : participation.releases) releases.push_back(release_line(run));
  return {{"kind", participation_kind},
          {"round", participation.round},
          {"client", participation.client},
          {"releases", releases}};
}

Line to_line(const LedgerEnd& end) {
  return {{"kind", end_kind}, {"rounds", end.rounds}, {"train_loss", end.train_loss}, {"test_score", end.test_score}};
}

Line parsed_line(const std::string& text) {
  try {
    return Line::parse(text);
  } catch (const nlohmann::json::exception&) {  // also a number beyond the range of double
    throw InvalidArgument("it is not JSON");
  }
}

std::string kind_of(const Line& line) { return read<std::string>(line, "kind"); }

LedgerHeader header_from(const Line& line) {
  const auto version = read<std::uint64_t>(line, "version");
  require(version == ledger_version, "version", version, std::to_string(ledger_version));
  const auto adjacency = named("adjacency", line, adjacency_named);
  require(adjacency == Adjacency::replace_one, "adjacency", to_string(adjacency), "replace_one");
  LedgerHeader header;
  header.run = run_from(member(line, "run"));
  header.clients = read_integers(line, "clients");
  header.dimension = read<std::uint64_t>(line, "dimension");
  check_dimension(header.dimension);
  header.data = read<std::string>(line, "data");
  const auto digits = read<std::string>(line, "fingerprint");
  const auto fingerprint = integer_in<std::uint64_t>(digits, 16);
  if (!fingerprint || digits.size() != 16) refuse("fingerprint", Line(digits), "16 hexadecimal digits");
  header.fingerprint = *fingerprint;
  for (const Line& view : read_array(line, "plans")) header.plans.push_back(view_from(view));
  return header;
}

RoundEntry round_from(const Line& line) {
  RoundEntry entry{read<std::uint64_t>(line, "round"), named("phase", line, phase_named), {}};
  Participants& drawn = entry.participants;
  drawn.scheme = read<std::string>(line, "scheme");
  drawn.drawn = read<std::uint64_t>(line, "drawn");
  drawn.population = read<std::uint64_t>(line, "population");
  if (line.contains("rate")) drawn.rate = read<double>(line, "rate");
  drawn.clients = read_integers(line, "participants");
  if (line.contains("times")) drawn.times = read_integers(line, "times");
  drawn.weights = read_numbers(line, "weights");
  return entry;
}

Participation participation_from(const Line& line) {
  Participation participation{read<std::uint64_t>(line, "round"), read<std::uint64_t>(line, "client"), {}};
  for (const Line& run : read_array(line, "releases")) participation.releases.push_back(release_from(run));
  return participation;
}

LedgerEnd end_from(const Line& line) {
  return {read<std::uint64_t>(line, "rounds"), read<double>(line, "train_loss"), read<double>(line, "test_score")};
}

}  // namespace dpbudget::fl
