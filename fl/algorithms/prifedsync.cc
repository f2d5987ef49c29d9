#include "dpbudget/fl/algorithms/prifedsync.h"

#include "dpbudget/fl/algorithms/local_optimiser.h"

namespace dpbudget::fl {
namespace {

struct PriFedSyncOptions : AveragingOptions, LocalOptimiserOptions {
  double interpolation = 1;  // [alpha]

  static auto options() {
    return std::tuple_cat(
        AveragingOptions::options(), LocalOptimiserOptions::options(),
        std::tuple(option(&PriFedSyncOptions::interpolation, "interpolation",
                          "alpha: weight of the global model in a client's; 1 is global", range::share)));
  }
};

}  // namespace

OptionList PriFedSync::options() const { return OptionList::of<PriFedSyncOptions>(); }

void PriFedSync::client(const Round& round, const ServerState& server, ClientState& state, Release& release,
                        Update& update) const {
  const auto& options = round.run.options<PriFedSyncOptions>();
  const double alpha = options.interpolation;
  Vector& own = state.model;
  if (own.size() == 0)
    own = server.model;
  else
    own = (1 - alpha) * own + alpha * server.model;
  LocalOptimiser optimiser(options, own.size());
  for (std::uint64_t k = 0; k < round.run.local_steps(); ++k)
    optimiser.step(round.step_size_of(k), release.gradient(own) + round.run->regularisation * own, own);
  update.model = own - server.model;
}

}  // namespace dpbudget::fl
