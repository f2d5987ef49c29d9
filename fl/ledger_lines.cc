#include "dpbudget/fl/ledger_lines.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <concepts>
#include <limits>

#include "dpbudget/accounting/plan/json.h"
#include "dpbudget/accounting/require.h"

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

constexpr std::optional<Unit> unit_named(std::string_view name) {
  if (name == "record") return Unit::record;
  if (name == "user") return Unit::user;
  return std::nullopt;
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
Line clip_norm_line(double clip_norm) { return clip_norm == infinity ? Line() : Line(clip_norm); }

double read_clip_norm(const Line& object) {
  return member(object, "clip_norm").is_null() ? infinity : read<double>(object, "clip_norm");
}

Line run_line(const Run& run) {
  return {{"algorithm", run.algorithm},
          {"rounds", run.rounds},
          {"warm_start_rounds", run.warm_start_rounds.value()},
          {"local_steps", run.local_steps.value()},
          {"user_rate", run.user_rate},
          {"record_rate", run.record_rate},
          {"noise_multiplier", run.noise_multiplier},
          {"clip_norm", clip_norm_line(run.clip_norm)},
          {"unit", run.unit == Unit::record ? "record" : "user"},
          {"initial_step", run.initial_step},
          {"server_step", run.server_step},
          {"regularisation", run.regularisation},
          {"seed", run.seed},
          {"delta", run.delta},
          {"evaluate_every", run.evaluate_every}};
}

Run run_from(const Line& line) {
  Run run;
  run.algorithm = read<std::string>(line, "algorithm");
  run.rounds = read<std::uint64_t>(line, "rounds");
  run.warm_start_rounds = read<std::uint64_t>(line, "warm_start_rounds");
  run.local_steps = read<std::uint64_t>(line, "local_steps");
  run.user_rate = read<double>(line, "user_rate");
  run.record_rate = read<double>(line, "record_rate");
  run.noise_multiplier = read<double>(line, "noise_multiplier");
  run.clip_norm = read_clip_norm(line);
  run.unit = named("unit", line, unit_named);
  run.initial_step = read<double>(line, "initial_step");
  run.server_step = read<double>(line, "server_step");
  run.regularisation = read<double>(line, "regularisation");
  run.seed = read<std::uint64_t>(line, "seed");
  run.delta = read<double>(line, "delta");
  run.evaluate_every = read<std::uint64_t>(line, "evaluate_every");
  check(run);
  return run;
}

Line view_line(const PlannedView& view) {
  return {{"adversary", to_string(view.adversary)},
          {"basis", to_string(view.basis)},
          {"records", view.records},
          {"guarantee", to_string(view.plan.guarantee)},
          {"plan", to_json(view.plan.plan)},
          {"source", view.plan.source},
          {"notes", view.plan.notes}};
}

PlannedView view_from(const Line& line) {
  const Line& notes = read_array(line, "notes");
  for (const Line& note : notes)
    if (!note.is_string()) refuse("notes", note, "an array of texts");
  return {named("adversary", line, adversary_named), named("basis", line, basis_named),
          read<std::uint64_t>(line, "records"),
          AdversaryPlan{plan_from_json(nlohmann::json(member(line, "plan"))), named("guarantee", line, guarantee_named),
                        read<std::string>(line, "source"), notes.get<std::vector<std::string>>()}};
}

Line release_line(const ReleaseRun& run) {
  Line line = {{"count", run.count}, {"mechanism", run.mechanism}};
  if (run.mechanism != ReleaseRun::no_guarantee) {
    line["noise_std"] = run.noise_std;
    line["clip_norm"] = run.clip_norm;
    line["noise_sum_of_squares"] = run.noise_sum_of_squares;
  }
  line["largest_norm"] = run.largest_norm;
  line["scheme"] = run.scheme;
  line["sample"] = run.sample;
  line["population"] = run.population;
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
  run.scheme = read<std::string>(line, "scheme");
  run.sample = read<std::uint64_t>(line, "sample");
  run.population = read<std::uint64_t>(line, "population");
  run.coordinates = read<std::uint64_t>(line, "coordinates");
  return run;
}

}  // namespace

Line to_line(const LedgerHeader& header) {
  Line plans = Line::array();
  for (const PlannedView& view : header.plans) plans.push_back(view_line(view));
  return {{"kind", header_kind},
          {"version", ledger_version},
          {"adjacency", to_string(Adjacency::replace_one)},
          {"run", run_line(header.run)},
          {"clients", header.clients},
          {"dimension", header.dimension},
          {"data", header.data},
          {"fingerprint", fmt::format("{:016x}", header.fingerprint)},
          {"plans", plans}};
}

Line to_line(const RoundEntry& round) {
  return {{"kind", round_kind},
          {"round", round.round},
          {"phase", round.phase == Phase::training ? "training" : "warm_start"},
          {"scheme", round.scheme},
          {"drawn", round.drawn},
          {"population", round.population},
          {"participants", round.participants}};
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
  return {
      {"kind", end_kind}, {"rounds", end.rounds}, {"train_loss", end.train_loss}, {"test_accuracy", end.test_accuracy}};
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
  header.data = read<std::string>(line, "data");
  const auto digits = read<std::string>(line, "fingerprint");
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), header.fingerprint, 16);
  if (error != std::errc() || end != digits.data() + digits.size() || digits.size() != 16)
    refuse("fingerprint", Line(digits), "16 hexadecimal digits");
  for (const Line& view : read_array(line, "plans")) header.plans.push_back(view_from(view));
  return header;
}

RoundEntry round_from(const Line& line) {
  return {read<std::uint64_t>(line, "round"),      named("phase", line, phase_named),
          read<std::string>(line, "scheme"),       read<std::uint64_t>(line, "drawn"),
          read<std::uint64_t>(line, "population"), read_integers(line, "participants")};
}

Participation participation_from(const Line& line) {
  Participation participation{read<std::uint64_t>(line, "round"), read<std::uint64_t>(line, "client"), {}};
  for (const Line& run : read_array(line, "releases")) participation.releases.push_back(release_from(run));
  return participation;
}

LedgerEnd end_from(const Line& line) {
  return {read<std::uint64_t>(line, "rounds"), read<double>(line, "train_loss"), read<double>(line, "test_accuracy")};
}

}  // namespace dpbudget::fl
