#include "dpbudget/accounting/base/answer.h"

#include <limits>

namespace dpbudget {

void throw_exception_from_error(const Refusal& refusal, const boost::source_location& /*where*/) {
  throw Unsupported(refusal);
}

Bound no_bound(const Refusal& refusal) {
  return {.lower = 0, .upper = std::numeric_limits<double>::infinity(), .theorems = {}, .notes = {refusal.text()}};
}

}  // namespace dpbudget
