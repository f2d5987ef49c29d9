/// @file
/// Every value of a run that all algorithms share under its one name, with its range: ledgers, configuration files,
/// options and checks all read this list. What some runs alone have is listed with them (option.h).
#pragma once

#include <cstdint>
#include <utility>

#include "dpbudget/fl/run/range.h"
#include "dpbudget/fl/run/run.h"

namespace dpbudget::fl {

/// What a value is called, what it means to a user, and what it may be. `Number` is the type of one number of it.
template <class Number>
struct Field {
  const char* key;            ///< in ledgers and configuration files; as an option, with - for _
  const char* text;           ///< one line of help
  bool about_privacy = true;  ///< whether a plan may depend on it
  Range<Number> range = {};
  bool RunRequest::* asked = nullptr;  ///< where it is noted that "?" stands for the value, if it may
};

/// Calls visit(field, value) for every such value of `run`, a RunRequest or a const one. `threads` is not among them:
/// it changes nothing.
template <class AnyRun, class Visit>
void visit_fields(AnyRun& run, Visit&& visit) {
  using Name = Field<std::string>;
  using Real = Field<double>;
  using Count = Field<std::uint64_t>;
  constexpr bool not_private = false;
  constexpr bool is_private = true;
  visit(Name{"algorithm", "what to run"}, run.algorithm);
  visit(Name{"model", "softmax, logistic, linear, hinge:SMOOTHING, mlp:UNITS or cnn", not_private}, run.model);
  visit(Field<Precision>{"precision",
                         "what the model computes in: single or double; left out, single for mlp and cnn, double for "
                         "the others",
                         not_private},
        run.precision);
  visit(Count{"rounds", "T: rounds that train the model"}, run.rounds);
  visit(Count{"local_steps",
              "K: gradient steps of a participant per round; left out, 10, or 1/s for the -fedsgd variants"},
        run.local_steps);
  visit(Count{"warm_rounds", "rounds that only set control variates, for -warm variants; left out, round(4 / l)"},
        run.warm_start_rounds);
  visit(Field<ClientSampling>{"client_sampling", "how participants are drawn: uniform, poisson, md or fedavg"},
        run.client_sampling);
  visit(Field<Weights>{"weights", "what a client counts: equal, or by its records"}, run.weights);
  visit(Real{"client_weights", "p_i: what each client counts, separated by commas, in any unit, instead of --weights"},
        run.client_weights);
  visit(Real{"user_rate", "l: share of the users that take part in a round, in (0, 1]", is_private, range::rate},
        run.user_rate);
  visit(Real{"record_rate", "s: share of a user's records in a batch, in (0, 1]", is_private, range::rate},
        run.record_rate);
  visit(Count{"batch_size", "records in a batch, instead of a rate; a client that holds fewer takes all it has"},
        run.batch_size);
  visit(
      Field<Batches>{
          "batches",
          "fresh, disjoint: every record used once in the run, with_replacement: drawn anew, each record by itself, or "
          "shuffled: cut in each round from one random order of the records, and from a new one when it is used up"},
      run.batches);
  visit(Real{"noise",
             "sigma_g: noise standard deviation over the replace-one sensitivity 2 C / batch; 0 for plain variants; "
             "?: the least found that is proven to keep all rounds to --epsilon",
             is_private,
             {},
             &RunRequest::asks_noise},
        run.noise_multiplier);
  visit(Real{"silo_noise", "sigma_g of each client, separated by commas, instead of one for all"}, run.silo_noise);
  visit(Real{"silo_epsilon",
             "epsilon that each client's records may spend against --adversary in the whole run, separated by commas: "
             "the least noise that is proven to keep to it becomes the client's silo_noise"},
        run.silo_epsilon);
  visit(Real{"silo_delta", "delta of each client's own budget, separated by commas; left out, --delta"},
        run.silo_delta);
  visit(
      Name{"schedule",
           "how the noise changes over rounds and steps: see `dpbudget schedule --help`; or "
           "validation:factor=F,patience=K: F times as much after K evaluations in a row without a better test score, "
           "stopped by a filter (,filter=gaussian, zcdp or renyi:ORDER; left out, what lets most rounds through)"},
      run.schedule);
  visit(Real{"clip", "C: L2 norm to which a record's gradient is clipped", not_private}, run.clip_norm);
  visit(
      Field<Clipping>{
          "clipping",
          "fixed, adaptive (starts at C; its own budget is counted), per_tensor (each of L weights or biases to "
          "C / sqrt(L)) or median (not private)"},
      run.clipping);
  visit(Field<Unit>{"unit", "what the noise is scaled for: record (2 C / batch) or user (2 C / s)"}, run.unit);
  visit(Real{"regularisation", "lambda of (lambda / 2) |x|^2", not_private, range::not_negative}, run.regularisation);
  visit(Count{"seed", "seed of data, sampling and noise", not_private}, run.seed);
  visit(Real{"delta", "delta of every epsilon, in (0, 1)"}, run.delta);
  visit(Real{"epsilon", "budget: the run stops before the round that would exceed it"}, run.epsilon);
  visit(
      Field<Adversary>{
          "adversary",
          "whom --epsilon and --silo-epsilon are for: third-party, server, one-client, other-clients or user-level"},
      run.budget_for);
  visit(Count{"evaluate_every", "rounds between two evaluations", not_private, range::counted}, run.evaluate_every);
  visit(
      Count{"evaluate_clients", "clients on whose records the model is evaluated, drawn at random once; left out, all",
            not_private, range::counted},
      run.evaluate_clients);
}

}  // namespace dpbudget::fl
