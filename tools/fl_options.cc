#include "dpbudget/tools/fl_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "dpbudget/accounting/require.h"
#include "dpbudget/fl/algorithms/catalogue.h"
#include "dpbudget/fl/data/idx.h"
#include "dpbudget/fl/data/partition.h"
#include "dpbudget/fl/data/preprocess.h"
#include "dpbudget/fl/data/synthetic.h"
#include "dpbudget/tools/number.h"
#include "dpbudget/tools/options.h"

namespace dpbudget::tools {
namespace {

fl::Adversary read_adversary(std::string name) {
  std::ranges::replace(name, '-', '_');
  const auto adversary = fl::adversary_named(name);
  if (!adversary)
    throw InvalidArgument(fmt::format("--adversary is {}, but must be third-party, server or user-level", name));
  return *adversary;
}

template <class Target>
void add_adversary(CLI::App& app, Target& adversary, const std::string& description) {
  app.add_option_function<std::string>(
         "--adversary", [&adversary](const std::string& name) { adversary = read_adversary(name); },
         description + ": third-party, server or user-level")
      ->type_name("NAME");
}

// The two parts of "A,B".
std::pair<std::string, std::string> two_parts(const std::string& source, const std::string& text) {
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos)
    throw InvalidArgument(fmt::format("--data is {}, but must be synthetic:ALPHA,BETA or idx:IMAGES,LABELS", source));
  return {text.substr(0, comma), text.substr(comma + 1)};
}

}  // namespace

void adversary_option(CLI::App& app, fl::Adversary& adversary, const std::string& description) {
  add_adversary(app, adversary, description);
}
void adversary_option(CLI::App& app, std::optional<fl::Adversary>& adversary, const std::string& description) {
  add_adversary(app, adversary, description);
}

void privacy_options(CLI::App& app, fl::Run& run) {
  number_option(app, "--user-rate", run.user_rate, "l: share of the users that take part in a round, in (0, 1]");
  number_option(app, "--record-rate", run.record_rate, "s: share of a user's records in a batch, in (0, 1]");
  count_option(app, "--local-steps", run.local_steps,
               "K: noisy gradient steps of a participant per round; left out, 10, or 1/s for the -fedsgd variants");
  number_option(app, "--noise", run.noise_multiplier,
                "sigma_g: noise standard deviation over the replace-one sensitivity 2 C / batch; 0 for plain variants");
  count_option(app, "--warm-rounds", run.warm_start_rounds,
               "rounds that only set control variates, for -warm variants; left out, round(4 / l)");
  app.add_option_function<std::string>(
         "--unit",
         [&run](const std::string& name) {
           if (name != "record" && name != "user")
             throw InvalidArgument(fmt::format("--unit is {}, but must be record or user", name));
           run.unit = name == "record" ? fl::Unit::record : fl::Unit::user;
         },
         "what the noise is scaled for: record (2 C / batch) or user (2 C / s)")
      ->type_name("NAME")
      ->default_str("record");
  number_option(app, "--delta", run.delta, "delta of every epsilon, in (0, 1)");
}

fl::Run with_default_local_steps(fl::Run run) {
  if (!run.local_steps && !fl::find_algorithm(run.algorithm).one_pass) run.local_steps = 10;
  return run;
}

void DataOptions::add_to(CLI::App& app) {
  app.add_option("--data", source,
                 "synthetic:ALPHA,BETA as in Noble et al. 2022, or idx:IMAGES,LABELS (files as of MNIST, gzip too)")
      ->type_name("SOURCE")
      ->capture_default_str();
  count_option(app, "--users", users, "M: number of users");
  count_option(app, "--records", records, "R: records per user of synthetic data, of which 80 % train");
  number_option(app, "--similarity", similarity,
                "per cent of a user's records that are i.i.d., the rest sorted by label (idx data), in [0, 100]");
}

fl::FederatedData DataOptions::load(std::uint64_t seed) const {
  const std::size_t colon = source.find(':');
  const std::string kind = source.substr(0, colon);
  const auto parts = two_parts(source, colon == std::string::npos ? "" : source.substr(colon + 1));
  fl::FederatedData data = [&] {
    if (kind == "synthetic")
      return fl::synthetic({.alpha = read_number("alpha of --data", parts.first),
                            .beta = read_number("beta of --data", parts.second),
                            .users = users,
                            .records_per_user = records,
                            .seed = seed});
    if (kind == "idx") return fl::federate(fl::load_idx(parts.first, parts.second), users, similarity, seed);
    throw InvalidArgument(fmt::format("--data is {}, but must be synthetic:ALPHA,BETA or idx:IMAGES,LABELS", source));
  }();
  fl::standardise(data);
  fl::normalise_records(data);
  return data;
}

}  // namespace dpbudget::tools
