// Ledgers: any text is one that verifies or not, or an error of the caller.

#include "dpbudget/fl/ledger/ledger.h"

#include <sstream>
#include <string>

#include "dpbudget/fl/ledger/lines.h"
#include "dpbudget/fl/run/mechanism.h"
#include "dpbudget/fl/verify/verify.h"
#include "fuzz/target.h"

namespace {

// Verification draws all noise anew, and prices every client's plan.
bool is_little_work(const dpbudget::fl::Ledger& ledger) {
  const dpbudget::fl::LedgerHeader& header = ledger.header;
  const auto& run = header.run;
  const auto* bits = run.find_options<dpbudget::fl::BinomialNoise>();
  return header.clients.size() <= 8 && header.dimension <= 1000 && run.local_steps() <= 10 &&
         run.released_rounds() <= 10 && (bits == nullptr || bits->noise_bits <= 10000);
}

}  // namespace

DPBUDGET_FUZZ_TARGET(const std::string_view input) {
  std::istringstream text{std::string(input)};
  const dpbudget::fl::Ledger ledger = dpbudget::fl::read_ledger(text, "input");
  const dpbudget::fl::LedgerHeader again =
      dpbudget::fl::header_from(dpbudget::fl::parsed_line(dpbudget::fl::to_line(ledger.header).dump()));
  dpbudget::fuzz::expect(dpbudget::fl::to_line(again) == dpbudget::fl::to_line(ledger.header), "a header and back");
  if (is_little_work(ledger)) dpbudget::fl::verify(ledger, 1e-5);
}
