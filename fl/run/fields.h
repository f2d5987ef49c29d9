/// @file
/// Every value of a run under its one name, with its range and its default: ledgers, configuration files, options and
/// checks all read this list.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "dpbudget/fl/run/run.h"

namespace dpbudget::fl {

/// Who reads a value: every run, those alone whose algorithm says so in its traits, or those that clip adaptively.
enum class Owner { everybody, algorithm, adaptive_clipping };

/// What a value is called, what it means to a user, and what it may be. `Number` is the type of one number of it.
template <class Number>
struct Field {
  const char* key;            ///< in ledgers and configuration files; as an option, with - for _
  const char* text;           ///< one line of help
  bool about_privacy = true;  ///< whether a plan may depend on it
  Owner owner = Owner::everybody;
  bool (*holds)(Number) = nullptr;  ///< whether a number is in the range; null where that depends on other values
  const char* range = "";           ///< the range in words
  std::optional<Number> otherwise = std::nullopt;  ///< what is taken where its owner reads it and it is left out
};

namespace range {

inline bool is_positive(double value) { return 0 < value && std::isfinite(value); }
inline bool is_not_negative(double value) { return 0 <= value && std::isfinite(value); }
inline bool is_rate(double value) { return 0 < value && value <= 1; }
inline bool is_share(double value) { return 0 <= value && value <= 1; }
inline bool is_inside(double value) { return 0 < value && value < 1; }
inline bool is_momentum(double value) { return 0 <= value && value < 1; }
inline bool is_counted(std::uint64_t value) { return 1 <= value; }

}  // namespace range

/// Calls visit(field, value) for every value of `run`, a RunRequest or a const one. `threads` is not among them: it
/// changes nothing.
template <class AnyRun, class Visit>
void visit_fields(AnyRun& run, Visit&& visit) {
  using Name = Field<std::string>;
  using Real = Field<double>;
  using Count = Field<std::uint64_t>;
  constexpr const char* positive = "positive and finite";
  constexpr bool not_private = false;
  constexpr bool is_private = true;
  constexpr Owner some = Owner::algorithm;
  visit(Name{"algorithm", "what to run"}, run.algorithm);
  visit(Name{"model", "softmax, logistic, linear, hinge:SMOOTHING, mlp:UNITS or cnn", not_private}, run.model);
  visit(Count{"rounds", "T: rounds that train the model"}, run.rounds);
  visit(Count{.key = "local_steps",
              .text = "K: gradient steps of a participant per round; 1/s for the -fedsgd variants",
              .otherwise = 10},
        run.local_steps);
  visit(Count{"warm_rounds", "rounds that only set control variates, for -warm variants; left out, round(4 / l)"},
        run.warm_start_rounds);
  visit(Field<ClientSampling>{"client_sampling", "how participants are drawn: uniform, poisson, md or fedavg"},
        run.client_sampling);
  visit(Field<Weights>{"weights", "what a client counts: equal, or by its records"}, run.weights);
  visit(Real{.key = "user_rate",
             .text = "l: share of the users that take part in a round, in (0, 1]",
             .holds = range::is_rate,
             .range = "in (0, 1]"},
        run.user_rate);
  visit(Real{.key = "record_rate",
             .text = "s: share of a user's records in a batch, in (0, 1]",
             .holds = range::is_rate,
             .range = "in (0, 1]"},
        run.record_rate);
  visit(Count{"batch_size", "records in a batch, instead of a rate; a client that holds fewer takes all it has"},
        run.batch_size);
  visit(Field<Batches>{"batches", "fresh, or disjoint: every record used once in the run", is_private, some},
        run.batches);
  visit(Real{"noise",
             "sigma_g: noise standard deviation over the replace-one sensitivity 2 C / batch; 0 for plain variants"},
        run.noise_multiplier);
  visit(Real{"silo_noise", "sigma_g of each client, separated by commas, instead of one for all"}, run.silo_noise);
  visit(Real{"silo_epsilon",
             "epsilon that each client's records may spend against --adversary in the whole run, separated by commas: "
             "the least noise that is proven to keep to it becomes the client's silo_noise"},
        run.silo_epsilon);
  visit(Real{"silo_delta", "delta of each client's own budget, separated by commas; left out, --delta"},
        run.silo_delta);
  visit(Name{"schedule", "how the noise changes over rounds and steps: see `dpbudget schedule --help`"}, run.schedule);
  visit(Real{"clip", "C: L2 norm to which a record's gradient is clipped", not_private}, run.clip_norm);
  visit(Field<Clipping>{"clipping", "fixed, adaptive (starts at C; its own budget is counted) or median (not private)"},
        run.clipping);
  visit(Real{"clip_quantile", "adaptive clipping: quantile of the norms that it aims at", not_private,
             Owner::adaptive_clipping, range::is_inside, "in (0, 1)", 0.5},
        run.clip_quantile);
  visit(Real{"clip_learning_rate", "adaptive clipping: rate at which C follows", not_private, Owner::adaptive_clipping,
             range::is_positive, positive, 0.2},
        run.clip_learning_rate);
  visit(Real{"clip_noise", "adaptive clipping: noise multiplier of the count of norms below C", is_private,
             Owner::adaptive_clipping, range::is_positive, positive, 10},
        run.clip_noise);
  visit(Field<Unit>{"unit", "what the noise is scaled for: record (2 C / batch) or user (2 C / s)"}, run.unit);
  visit(Real{"step",
             "eta_0: the local step size is eta_0 / (s K) for fedavg, fedsgd and scaffold, where batch_size gives each "
             "client an s of its own, else eta_0; left out, 1",
             not_private, some, range::is_positive, positive, 1},
        run.initial_step);
  visit(Real{"server_step", "eta_g: step size of the server, where local models are averaged; left out, 1", not_private,
             some, range::is_positive, positive, 1},
        run.server_step);
  visit(Real{"regularisation", "lambda of (lambda / 2) |x|^2", not_private, Owner::everybody, range::is_not_negative,
             "at least 0 and finite"},
        run.regularisation);
  visit(Field<Optimiser>{.key = "optimiser",
                         .text = "local steps by sgd, momentum or adam, for prifedsync",
                         .about_privacy = not_private,
                         .owner = some,
                         .otherwise = Optimiser::sgd},
        run.optimiser);
  visit(Real{"momentum", "beta_1 of momentum, Adam and adnfl, in [0, 1)", not_private, some, range::is_momentum,
             "in [0, 1)", 0.9},
        run.momentum);
  visit(Real{"second_momentum", "beta_2 of Adam and adnfl, in [0, 1)", not_private, some, range::is_momentum,
             "in [0, 1)", 0.99},
        run.second_momentum);
  visit(Real{"adaptivity", "pi of adnfl, or Adam's epsilon", not_private, some, range::is_positive, positive, 1e-3},
        run.adaptivity);
  visit(Real{"interpolation", "alpha: weight of the global model in a client's, for prifedsync; 1 is global",
             not_private, some, range::is_share, "in [0, 1]", 1},
        run.interpolation);
  visit(Real{"radius", "models are projected on the ball of this radius about 0", not_private, some, range::is_positive,
             positive},
        run.radius);
  visit(Real{"smoothness",
             "beta of the loss, for the accelerated algorithms; mb-sgd with it takes the steps for strongly convex "
             "losses",
             not_private, some, range::is_positive, positive, 1},
        run.smoothness);
  visit(Real{"gap", "Delta: how far the initial loss is above the least at most, for multi-stage-ac-sa", not_private,
             some, range::is_positive, positive, 1},
        run.gap);
  visit(Count{"granularity", "steps that an encoded coordinate is divided in, for binomial-ac-sa", is_private, some,
              range::is_counted, "at least 1", 1024},
        run.granularity);
  visit(Count{"noise_bits", "random bits of an encoded coordinate, for binomial-ac-sa", is_private, some,
              range::is_counted, "at least 1", 4096},
        run.noise_bits);
  visit(Count{"seed", "seed of data, sampling and noise", not_private}, run.seed);
  visit(Real{"delta", "delta of every epsilon, in (0, 1)"}, run.delta);
  visit(Real{"epsilon", "budget: the run stops before the round that would exceed it"}, run.epsilon);
  visit(
      Field<Adversary>{
          "adversary",
          "whom --epsilon and --silo-epsilon are for: third-party, server, one-client, other-clients or user-level"},
      run.budget_for);
  visit(Count{.key = "evaluate_every",
              .text = "rounds between two evaluations",
              .about_privacy = not_private,
              .holds = range::is_counted,
              .range = "at least 1"},
        run.evaluate_every);
}

}  // namespace dpbudget::fl
