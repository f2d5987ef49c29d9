#include "dpbudget/tools/cli/check/recorded.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "dpbudget/accounting/base/ranges.h"
#include "dpbudget/accounting/base/read_number.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/data/csv_records.h"
#include "dpbudget/fl/ledger/members.h"

namespace dpbudget::tools {
namespace {

const Event tells_everything = ApproximateDp{0.0, 1.0};

Event noisy(double noise_multiplier) {
  if (noise_multiplier == 0) return tells_everything;
  ranges::noise_multiplier(noise_multiplier);
  return Gaussian{noise_multiplier};
}

Event stretch(double noise_multiplier, double rate, std::uint64_t steps) {
  ranges::rate(rate);
  ranges::count(steps);
  return repeat(steps, PoissonSampled{rate, noisy(noise_multiplier)});
}

// The members that each class has beside module_name, which says nothing more.
class DpEventReader {
 public:
  explicit DpEventReader(Adjacency adjacency) : sensitivity_(adjacency == Adjacency::replace_one ? 2 : 1) {}

  Event read(const fl::Line& tuple) const {
    fl::Members members(tuple, "dp_event");
    const std::string name = members.text("class_name");
    if (members.has("module_name")) members.text("module_name");
    Event event = of_class(name, members);
    members.done();
    return event;
  }

 private:
  Event of_class(const std::string& name, fl::Members& members) const {
    if (name == "NoOpDpEvent") return Composed{};
    if (name == "NonPrivateDpEvent") return tells_everything;
    if (name == "GaussianDpEvent") return noisy(members.number("noise_multiplier") / sensitivity_);
    if (name == "LaplaceDpEvent") {
      const double scale = members.number("noise_multiplier") / sensitivity_;
      if (scale == 0) return tells_everything;
      ranges::scale(scale);
      return Laplace{scale};
    }
    if (name == "ZCDpEvent") {
      const double rho = members.number("rho");
      if (members.has("xi") && members.number("xi") != 0) members.refuse("xi", "0");
      ranges::rho(rho);
      return ConcentratedDp{rho};
    }
    if (name == "SelfComposedDpEvent") return repeat(members.count("count"), read(members.at("event")));
    if (name == "ComposedDpEvent") {
      std::vector<Event> parts;
      for (const fl::Line& part : members.array("events")) parts.push_back(read(part));
      return compose(std::move(parts));
    }
    if (name == "PoissonSampledDpEvent") {
      const double rate = members.number("sampling_probability");
      ranges::rate(rate);
      return PoissonSampled{rate, read(members.at("event"))};
    }
    if (name == "SampledWithoutReplacementDpEvent") {
      const std::uint64_t drawn = members.count("sample_size");
      const std::uint64_t population = members.count("source_dataset_size");
      ranges::fraction(drawn, population);
      return SampledWithoutReplacement{Rate(drawn, population), read(members.at("event"))};
    }
    members.refuse("class_name",
                   "NoOpDpEvent, NonPrivateDpEvent, GaussianDpEvent, LaplaceDpEvent, ZCDpEvent, SelfComposedDpEvent, "
                   "ComposedDpEvent, PoissonSampledDpEvent or SampledWithoutReplacementDpEvent");
  }

  double sensitivity_;  // over the largest norm of a contribution
};

std::size_t column_of(const fl::CsvRecord& header, std::string_view name) {
  return static_cast<std::size_t>(std::ranges::find(header.fields, name) - header.fields.begin());
}

}  // namespace

Event event_of_dp_accounting(const nlohmann::ordered_json& tuple, Adjacency adjacency) {
  return DpEventReader(adjacency).read(tuple);
}

Event event_of_opacus(const nlohmann::ordered_json& recorded) {
  const fl::Line* history = &recorded;
  if (recorded.is_object() && recorded.contains("history")) history = &recorded.at("history");
  constexpr std::string_view wanted = "[[noise_multiplier, sample_rate, steps], ...], or an object with such a history";
  require(history->is_array(), "opacus", recorded.dump().substr(0, 60), wanted);
  std::vector<Event> parts;
  for (const fl::Line& entry : *history) {
    const bool is_entry = entry.is_array() && entry.size() == 3 && entry[0].is_number() && entry[1].is_number() &&
                          entry[2].is_number_unsigned();
    require(is_entry, "opacus", entry.dump().substr(0, 60), wanted);
    parts.push_back(stretch(entry[0].get<double>(), entry[1].get<double>(), entry[2].get<std::uint64_t>()));
  }
  return compose(std::move(parts));
}

Event event_of_rounds(const std::string& file) {
  fl::ByteFile bytes(file);
  const std::vector<fl::CsvRecord> records = fl::read_csv_records(bytes);
  if (records.empty()) bytes.fail("there is no header");
  const fl::CsvRecord& header = records.front();
  const std::size_t noise = column_of(header, "noise");
  const std::size_t rate = column_of(header, "rate");
  const std::size_t count = column_of(header, "count");
  const std::size_t columns = header.fields.size();
  if (noise == columns || rate == columns || columns != (count == columns ? 2U : 3U))
    bytes.fail("the columns must be noise, rate and, where wanted, count");
  std::vector<Event> parts;
  for (std::size_t i = 1; i < records.size(); ++i) {
    const fl::CsvRecord& record = records[i];
    if (record.fields.size() != columns) bytes.fail(fmt::format("line {}: not {} fields", record.line, columns));
    try {
      parts.push_back(stretch(read_number("noise", record.fields[noise]), read_number("rate", record.fields[rate]),
                              count == columns ? 1 : read_count("count", record.fields[count])));
    } catch (const InvalidArgument& error) {
      bytes.fail(fmt::format("line {}: {}", record.line, error.what()));
    }
  }
  return compose(std::move(parts));
}

}  // namespace dpbudget::tools
