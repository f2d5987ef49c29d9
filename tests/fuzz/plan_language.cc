// The plan language: any text is a plan that every accountant answers or refuses, or an error of the caller.

#include <string_view>

#include "dpbudget/accounting/plan/language.h"
#include "fuzz/ask_everybody.h"
#include "fuzz/target.h"

DPBUDGET_FUZZ_TARGET(const std::string_view text) {
  const dpbudget::ParsedPlan parsed = dpbudget::parse(text);
  dpbudget::fuzz::expect(dpbudget::parse(dpbudget::to_text(parsed.event)).event == parsed.event, "text and back");
  dpbudget::fuzz::ask_everybody(dpbudget::parse_plan(text));
}
