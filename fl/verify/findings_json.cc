#include "dpbudget/fl/verify/findings_json.h"

#include <cstddef>
#include <string>

namespace dpbudget::fl {
namespace {

using Json = nlohmann::json;

// Every finding by its name, and so the same ones each way.
template <class Findings, class Visit>
void visit_findings(Findings& found, const Visit& visit) {
  visit(found.local_steps);
  visit(found.record_sampling);
  visit(found.step_sizes);
  visit(found.clipping);
  visit(found.noise);
  visit(found.drawn.stream);
  visit(found.drawn.variance);
}

}  // namespace

Json to_json(const ParticipationFindings& found) {
  Json json{{"draws", found.drawn.draws}, {"squares", found.drawn.squares}, {"degrees", found.drawn.degrees}};
  visit_findings(found, [&](const Finding& finding) {
    if (finding.failures() > 0) json[std::string(finding.name())] = {finding.failures(), finding.first()};
  });
  for (const auto& [round, client, norm] : found.clipped) json["clipped"].push_back({round, client, norm});
  for (const auto& [round, share] : found.below) json["below"].push_back({round, share});
  return json;
}

ParticipationFindings findings_from(const Json& json) {
  ParticipationFindings found;
  found.drawn.draws = json.at("draws");
  found.drawn.squares = json.at("squares");
  found.drawn.degrees = json.at("degrees");
  visit_findings(found, [&](Finding& finding) {
    const auto told = json.find(finding.name());
    if (told != json.end())
      finding = Finding(finding.name(), told->at(0).get<std::size_t>(), told->at(1).get<std::string>());
  });
  for (const Json& clipped : json.value("clipped", Json::array()))
    found.clipped.push_back({clipped.at(0), clipped.at(1), clipped.at(2)});
  for (const Json& below : json.value("below", Json::array()))
    found.below.emplace_back(below.at(0).get<std::uint64_t>(), below.at(1).get<double>());
  return found;
}

}  // namespace dpbudget::fl
