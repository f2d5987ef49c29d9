#include "dpbudget/mechanisms/shuffler.h"

#include <utility>

#include "dpbudget/accounting/base/ranges.h"

namespace dpbudget::mechanisms {

Shuffled event_of(std::uint64_t reports, Inner local) {
  ranges::reports(reports);
  return {reports, std::move(local)};
}

}  // namespace dpbudget::mechanisms
