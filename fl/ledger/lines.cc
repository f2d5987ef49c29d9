#include "dpbudget/fl/ledger/lines.h"

#include <fmt/format.h>

#include <concepts>
#include <set>

#include "dpbudget/accounting/base/infinity.h"
#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/read_number.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/plan/json.h"
#include "dpbudget/fl/ledger/members.h"
#include "dpbudget/fl/run/fields.h"
#include "dpbudget/fl/run/known_options.h"
#include "dpbudget/fl/run/traits.h"
#include "dpbudget/fl/schedule/text.h"

namespace dpbudget::fl {
namespace {

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

template <class Value>
Line value_line(const Value& value) {
  if constexpr (std::same_as<Value, double>)
    return number_line(value);
  else if constexpr (Named<Value>)
    return to_string(value);
  else
    return value;
}

Line option_line(const OptionValue& value) {
  return std::visit([](const auto& held) { return value_line(held); }, value);
}

OptionValue option_from(Members& members, const OptionInfo& info) {
  switch (info.type) {
    case OptionType::real:
      return members.value<double>(info.key);
    case OptionType::count:
      return members.value<std::uint64_t>(info.key);
    case OptionType::text:
    case OptionType::choice:
      break;
  }
  return members.text(info.key);
}

// Writes those of `infos` that `given` has and `is_wanted` names, in the order of `infos`.
template <class Wanted>
void write_options(const std::vector<OptionInfo>& infos, const GivenOptions& given, const Wanted& is_wanted,
                   Line& line) {
  for (const OptionInfo& info : infos)
    if (const auto found = given.find(info.key); found != given.end() && is_wanted(info.key))
      line[info.key] = option_line(found->second);
}

void write_clipping(const Clipping& clipping, const Settings& run, Line& line) {
  std::visit(
      [&]<class Alternative>(const Alternative& chosen) {
        write_options(
            option_infos<Alternative>(), written_options(chosen, run), [](const auto&) { return true; }, line);
      },
      clipping);
}

// An algorithm's options stand behind the regularisation, but for its step sizes, which stand before: where a value
// stands in a ledger does not change with who declares it.
constexpr std::string_view landmark = "regularisation";
bool is_step_size(std::string_view key) { return key == "step" || key == "server_step"; }

// Whether ledgers of version 4 could hold the option.
bool is_of_version_4(const OptionInfo& info) { return info.type != OptionType::text && info.key != "step_clock"; }

SettledRun run_from(const Line& line, std::uint64_t version) {
  Members members(line, "run");
  RunRequest request;
  visit_fields(request, [&]<class Value>(const auto& field, Value& value) {
    if constexpr (std::same_as<Value, std::vector<double>>) {
      if (members.has(field.key)) value = members.value<Value>(field.key);
    } else if constexpr (requires { value.has_value(); }) {
      if (members.has(field.key)) value = members.value<typename Value::value_type>(field.key);
    } else {
      value = members.value<Value>(field.key);
    }
  });
  for (const KnownOption& option : known_options())
    if (const OptionInfo& info = option.info(); members.has(info.key) && (version > 4 || is_of_version_4(info))) {
      request.options.emplace(info.key, option_from(members, info));
      // A file may have changed since, or belong to somebody else.
      if (info.type == OptionType::text && file_of(text_of(request.options.at(info.key))))
        members.refuse(info.key, "one that names no file");
    }
  members.done();
  if (file_of(request.schedule)) members.refuse("schedule", "one that names no file");
  SettledRun run = settle(request);
  // What was executed had a noise, whatever budget it was found for.
  if (!run->silo_epsilon.empty()) members.at("silo_noise");
  // Written down when the run was complete: what is missing must not be filled in by a default.
  const Line whole = to_line(run.written());
  for (const auto& item : whole.items()) members.at(item.key());
  return run;
}

Line sizes_line(const Sizes& sizes) {
  Line line = {{"clients", sizes.clients}, {"records", sizes.records}, {"dimension", sizes.dimension}};
  if (sizes.all_records) line["all_records"] = *sizes.all_records;
  if (sizes.noise_multiplier) line["noise"] = *sizes.noise_multiplier;
  if (!sizes.least_others.empty()) line["least_others"] = sizes.least_others;
  if (sizes.weight) line["weight"] = *sizes.weight;
  return line;
}

Sizes sizes_from(const Line& line) {
  Members members(line, "sizes");
  Sizes sizes{members.count("clients"), members.count("records")};
  if (members.has("all_records")) sizes.all_records = members.count("all_records");
  sizes.dimension = members.count("dimension");
  if (members.has("noise")) sizes.noise_multiplier = members.number("noise");
  if (members.has("least_others")) sizes.least_others = members.counts("least_others");
  if (members.has("weight")) sizes.weight = members.positive_number("weight");
  members.done();
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
  Members members(line, "plans");
  PlannedView view{
      members.named("adversary", choice_named<Adversary>), members.named("basis", choice_named<Basis>),
      sizes_from(members.at("sizes")),
      AdversaryPlan{plan_from_json(nlohmann::json(members.at("plan"))), members.named("guarantee", guarantee_named),
                    members.text("source"), members.texts("notes")}};
  members.done();
  return view;
}

Line encoder_line(const mechanisms::BinomialEncoder& encoder) {
  return {{"lower", encoder.lower},
          {"upper", encoder.upper},
          {"granularity", encoder.granularity},
          {"noise_bits", encoder.noise_bits},
          {"probability", encoder.probability}};
}

mechanisms::BinomialEncoder encoder_from(const Line& line) {
  Members members(line, "encoder");
  const mechanisms::BinomialEncoder encoder{members.number("lower"), members.number("upper"),
                                            members.count("granularity"), members.count("noise_bits"),
                                            members.number("probability")};
  members.done();
  return encoder;
}

Line release_line(const ReleaseRun& run) {
  Line line = {{"count", run.count}, {"mechanism", run.mechanism}};
  if (run.mechanism != traits_of(Mechanism::none).name) {
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
  if (run.pass) line["pass"] = *run.pass;
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
  Members members(line, "releases");
  ReleaseRun run;
  run.count = members.count("count");
  run.mechanism = members.text("mechanism");
  run.clip_norm = infinity;
  if (run.mechanism != traits_of(Mechanism::none).name) {
    run.noise_std = members.number_from_zero("noise_std");
    run.clip_norm = members.positive_number("clip_norm");
    run.noise_sum_of_squares = members.number_from_zero("noise_sum_of_squares");
  }
  run.largest_norm = members.number_from_zero("largest_norm");
  run.largest_released = members.number_from_zero("largest_released");
  if (run.largest_released > run.largest_norm) members.refuse("largest_released", "at most `largest_norm`");
  run.scheme = members.text("scheme");
  run.sample = members.count("sample");
  run.population = members.count("population");
  if (members.has("first")) run.first = members.count("first");
  if (members.has("pass")) run.pass = members.count("pass");
  if (members.has("count_noise")) {
    run.count_noise = members.number_from_zero("count_noise");
    run.count_below = members.number("count_below");
    run.count_noise_sum_of_squares = members.number_from_zero("count_noise_sum_of_squares");
  }
  if (members.has("encoder")) run.encoder = encoder_from(members.at("encoder"));
  run.coordinates = members.count("coordinates");
  members.done();
  return run;
}

}  // namespace

Line to_line(const RunRequest& run) {
  Line line = Line::object();
  const std::vector<OptionList> lists = find_algorithm(run.algorithm).option_lists();
  const auto write_all = [&](const auto& is_wanted) {
    for (const OptionList& list : lists) write_options(list.infos(), run.options, is_wanted, line);
  };
  visit_fields(run, [&]<class Value>(const auto& field, const Value& value) {
    if constexpr (std::same_as<Value, std::vector<double>>) {
      if (!value.empty()) line[field.key] = value;
    } else if constexpr (requires { value.has_value(); }) {
      if (value) line[field.key] = value_line(*value);
    } else {
      if (field.key == landmark) write_all(is_step_size);
      line[field.key] = value_line(value);
      if constexpr (std::same_as<Value, Clipping>) write_clipping(value, run, line);
      if (field.key == landmark) write_all([](std::string_view key) { return !is_step_size(key); });
    }
  });
  return line;
}

Line to_line(const LedgerHeader& header) {
  Line plans = Line::array();
  for (const PlannedView& view : header.plans) plans.push_back(view_line(view));
  return {{"kind", header_kind},
          {"version", header.version},
          {"adjacency", to_string(Adjacency::replace_one)},
          {"run", to_line(header.run.written())},
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
  if (round.validation_error) line["validation_error"] = *round.validation_error;
  return line;
}

Line to_line(const Participation& participation) {
  Line releases = Line::array();
  for (const ReleaseRun& run : participation.releases) releases.push_back(release_line(run));
  Line line = {{"kind", participation_kind}, {"round", participation.round}, {"client", participation.client}};
  line["step_sizes"] = participation.step_sizes;
  line["releases"] = std::move(releases);
  return line;
}

Line to_line(const LedgerEnd& end) {
  Line line = {
      {"kind", end_kind}, {"rounds", end.rounds}, {"train_loss", end.train_loss}, {"test_score", end.test_score}};
  if (end.validation_error) line["validation_error"] = *end.validation_error;
  return line;
}

Line parsed_line(std::string_view text) {
  // Of two equal keys the parser would keep the last.
  std::vector<std::set<std::string>> keys;
  const auto refuse_repeated = [&](int /*depth*/, Line::parse_event_t event, const Line& parsed) {
    if (event == Line::parse_event_t::object_start) keys.emplace_back();
    if (event == Line::parse_event_t::object_end) keys.pop_back();
    if (event == Line::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second)
      throw InvalidArgument(fmt::format("`{}` stands there twice", parsed.get<std::string>()));
    return true;
  };
  // The parser skips a byte order mark, and takes a NUL for the end.
  if (text.starts_with("\xEF\xBB\xBF") || text.find('\0') != std::string::npos) throw InvalidArgument("it is not JSON");
  try {
    return Line::parse(text, refuse_repeated);
  } catch (const nlohmann::json::exception&) {  // also a number beyond the range of double
    throw InvalidArgument("it is not JSON");
  }
}

std::string kind_of(const Line& line) { return Members(line, "line").text("kind"); }

LedgerHeader header_from(const Line& line) {
  Members members(line, header_kind);
  members.at("kind");
  const std::uint64_t version = members.count("version");
  require(first_ledger_version <= version && version <= ledger_version, "version", version,
          fmt::format("{} to {}", first_ledger_version, ledger_version));
  const Adjacency adjacency = members.named("adjacency", adjacency_named);
  require(adjacency == Adjacency::replace_one, "adjacency", to_string(adjacency), "replace_one");
  LedgerHeader header{run_from(members.at("run"), version), {}, 0, {}, 0, {}, version};
  header.clients = members.counts("clients");
  std::uint64_t more = ranges::max_count;
  for (const std::uint64_t records : header.clients) {
    if (more < records) members.refuse("clients", "no more than 2^53 records together");
    more -= records;
  }
  header.dimension = members.count("dimension");
  check_dimension(header.dimension);
  for (const Sizes& sizes : distinct_sizes(header.run, header.clients, header.dimension)) check(header.run, sizes);
  header.data = members.text("data");
  const std::string digits = members.text("fingerprint");
  const auto fingerprint = integer_in<std::uint64_t>(digits, 16);
  if (!fingerprint || digits.size() != 16) members.refuse("fingerprint", "16 hexadecimal digits");
  header.fingerprint = *fingerprint;
  for (const Line& view : members.array("plans")) header.plans.push_back(view_from(view));
  members.done();
  return header;
}

RoundEntry round_from(const Line& line) {
  Members members(line, round_kind);
  members.at("kind");
  RoundEntry entry{members.count("round"), members.named("phase", phase_named), {}};
  Participants& drawn = entry.participants;
  drawn.scheme = members.text("scheme");
  drawn.drawn = members.count("drawn");
  drawn.population = members.count("population");
  if (members.has("rate")) drawn.rate = members.number("rate");
  drawn.clients = members.counts("participants");
  if (members.has("times")) drawn.times = members.counts("times");
  drawn.weights = members.numbers("weights");
  if (members.has("validation_error")) entry.validation_error = members.number_from_zero("validation_error");
  members.done();
  return entry;
}

Participation participation_from(const Line& line, std::uint64_t version) {
  Members members(line, participation_kind);
  members.at("kind");
  Participation participation{members.count("round"), members.count("client"), {}};
  if (version >= 5) participation.step_sizes = members.numbers("step_sizes");
  for (const Line& run : members.array("releases")) participation.releases.push_back(release_from(run));
  members.done();
  return participation;
}

LedgerEnd end_from(const Line& line) {
  Members members(line, end_kind);
  members.at("kind");
  LedgerEnd end{members.count("rounds"), members.number("train_loss"), members.number("test_score")};
  if (members.has("validation_error")) end.validation_error = members.number_from_zero("validation_error");
  members.done();
  return end;
}

}  // namespace dpbudget::fl
