#include "dpbudget/tools/cli/check/junit.h"

#include <fmt/format.h>

#include <algorithm>

namespace dpbudget::tools {
namespace {

// XML 1.0 has no control characters but tab and line ends, not even escaped.
std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '&')
      safe += "&amp;";
    else if (c == '<')
      safe += "&lt;";
    else if (c == '>')
      safe += "&gt;";
    else if (c == '"')
      safe += "&quot;";
    else if (static_cast<unsigned char>(c) < 0x20)
      safe += ' ';
    else
      safe += c;
  }
  return safe;
}

bool is_undecided(const Finding& finding) {
  return finding.verdict == Verdict::undecided || finding.verdict == Verdict::not_covered;
}

}  // namespace

std::string junit(const std::vector<Finding>& findings, std::string_view suite) {
  const auto unsafe = std::ranges::count(findings, Verdict::unsafe, &Finding::verdict);
  const auto undecided = std::ranges::count_if(findings, is_undecided);
  std::string xml = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites>\n  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" skipped=\"{}\">\n",
      escaped(suite), findings.size(), unsafe, undecided);
  for (const Finding& finding : findings) {
    const std::string message = escaped(fmt::format("{}: {}", name_of(finding.verdict), finding.says));
    xml += fmt::format("    <testcase classname=\"{}\" name=\"{}\"", escaped(suite), escaped(finding.claim.name));
    if (finding.verdict == Verdict::unsafe)
      xml += fmt::format(">\n      <failure message=\"{}\"/>\n    </testcase>\n", message);
    else if (is_undecided(finding))
      xml += fmt::format(">\n      <skipped message=\"{}\"/>\n    </testcase>\n", message);
    else
      xml += "/>\n";
  }
  return xml + "  </testsuite>\n</testsuites>\n";
}

}  // namespace dpbudget::tools
