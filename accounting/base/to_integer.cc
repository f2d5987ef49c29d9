#include "dpbudget/accounting/base/to_integer.h"

#include <fmt/format.h>

#include "dpbudget/accounting/base/require.h"

namespace dpbudget {

void refuse_integer(std::string_view name, double value, std::int64_t least, std::uint64_t most) {
  throw InvalidArgument(fmt::format("{} is {:g}, but must be in [{}, {}]", name, value, least, most));
}

}  // namespace dpbudget
