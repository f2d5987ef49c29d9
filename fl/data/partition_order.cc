#include "dpbudget/fl/data/partition_order.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/mechanisms/shuffler.h"

namespace dpbudget::fl {

using mechanisms::Stream;

Stream partition_stream(std::uint64_t seed, std::uint64_t user, PartitionPart part) {
  return Stream({seed, mechanisms::Purpose::partition, 0, user, static_cast<std::uint64_t>(part)});
}

std::vector<std::uint32_t> shuffled_rows(const std::string& name, std::uint64_t records, std::uint64_t seed) {
  require(1 <= records && records <= std::numeric_limits<std::uint32_t>::max(), name, records,
          "in [1, 2^32) in number");
  std::vector<std::uint32_t> rows(records);
  std::iota(rows.begin(), rows.end(), std::uint32_t{0});
  Stream whole = partition_stream(seed, 0, PartitionPart::whole);
  mechanisms::shuffle(rows, whole);
  return rows;
}

void shuffle_each(Partition& parts, std::uint64_t seed) {
  for (std::size_t user = 0; user < parts.size(); ++user) {
    Stream own = partition_stream(seed, user, PartitionPart::user);
    mechanisms::shuffle(parts[user], own);
  }
}

}  // namespace dpbudget::fl
