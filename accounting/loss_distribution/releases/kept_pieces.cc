#include "dpbudget/accounting/loss_distribution/releases/kept_pieces.h"

#include <cstddef>

#include "dpbudget/accounting/base/last_few.h"

namespace dpbudget::loss_distribution {
namespace {

// In pieces, which take 40 bytes each.
struct SizeOfPieces {
  static constexpr std::size_t each = 0x400;  // so that there are never many to look through
  std::size_t operator()(const Pieces& found) const { return each + found.pieces.size(); }
  std::size_t operator()(const std::optional<Pieces>& found) const { return found ? (*this)(*found) : each; }
};

constexpr std::size_t most_of_gaussians = 0x20000;
constexpr std::size_t most_of_shuffles = 0x100000;
constexpr std::size_t most_of_dealt = 0x100000;

}  // namespace

Pieces kept_pieces(const SampledGaussian& asked, const std::function<Pieces()>& make) {
  thread_local LastFew<SampledGaussian, Pieces, SizeOfPieces> last(most_of_gaussians);
  return last.found(asked, make);
}

Pieces kept_pieces(const ShuffledReports& asked, const std::function<Pieces()>& make) {
  thread_local LastFew<ShuffledReports, Pieces, SizeOfPieces> last(most_of_shuffles);
  return last.found(asked, make);
}

std::optional<Pieces> kept_pieces(const DealtRelease& asked, const std::function<std::optional<Pieces>()>& make) {
  thread_local LastFew<DealtRelease, std::optional<Pieces>, SizeOfPieces> last(most_of_dealt);
  return last.found(asked, make);
}

}  // namespace dpbudget::loss_distribution
