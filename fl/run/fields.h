/// @file
/// Every value of a run under its one name: ledgers, configuration files and options all read this list.
#pragma once

#include "dpbudget/fl/run/run.h"

namespace dpbudget::fl {

/// What a value is called, and what it means to a user.
struct Field {
  const char* key;   ///< in ledgers and configuration files; as an option, with - for _
  const char* text;  ///< one line of help
};

/// Calls visit(Field, value) for every value of `run`, a RunRequest or a const one. `threads` is not among them: it
/// changes nothing.
template <class AnyRun, class Visit>
void visit_fields(AnyRun& run, Visit&& visit) {
  visit(Field{"algorithm", "what to run"}, run.algorithm);
  visit(Field{"model", "softmax, logistic, linear, hinge:SMOOTHING, mlp:UNITS or cnn"}, run.model);
  visit(Field{"rounds", "T: rounds that train the model"}, run.rounds);
  visit(Field{"local_steps", "K: gradient steps of a participant per round; 1/s for the -fedsgd variants"},
        run.local_steps);
  visit(Field{"warm_rounds", "rounds that only set control variates, for -warm variants; left out, round(4 / l)"},
        run.warm_start_rounds);
  visit(Field{"client_sampling", "how participants are drawn: uniform, poisson, md or fedavg"}, run.client_sampling);
  visit(Field{"weights", "what a client counts: equal, or by its records"}, run.weights);
  visit(Field{"user_rate", "l: share of the users that take part in a round, in (0, 1]"}, run.user_rate);
  visit(Field{"record_rate", "s: share of a user's records in a batch, in (0, 1]"}, run.record_rate);
  visit(Field{"batch_size", "records in a batch, instead of a rate; a client that holds fewer takes all it has"},
        run.batch_size);
  visit(Field{"batches", "fresh, or disjoint: every record used once in the run"}, run.batches);
  visit(Field{"noise",
              "sigma_g: noise standard deviation over the replace-one sensitivity 2 C / batch; 0 for plain variants"},
        run.noise_multiplier);
  visit(Field{"silo_noise", "sigma_g of each client, separated by commas, instead of one for all"}, run.silo_noise);
  visit(Field{"silo_epsilon",
              "epsilon that each client's records may spend against --adversary in the whole run, separated by commas: "
              "the least noise that is proven to keep to it becomes the client's silo_noise"},
        run.silo_epsilon);
  visit(Field{"silo_delta", "delta of each client's own budget, separated by commas; left out, --delta"},
        run.silo_delta);
  visit(Field{"schedule", "how the noise changes over rounds and steps: see `dpbudget schedule --help`"}, run.schedule);
  visit(Field{"clip", "C: L2 norm to which a record's gradient is clipped"}, run.clip_norm);
  visit(Field{"clipping", "fixed, adaptive (starts at C; its own budget is counted) or median (not private)"},
        run.clipping);
  visit(Field{"clip_quantile", "adaptive clipping: quantile of the norms that it aims at"}, run.clip_quantile);
  visit(Field{"clip_learning_rate", "adaptive clipping: rate at which C follows"}, run.clip_learning_rate);
  visit(Field{"clip_noise", "adaptive clipping: noise multiplier of the count of norms below C"}, run.clip_noise);
  visit(Field{"unit", "what the noise is scaled for: record (2 C / batch) or user (2 C / s)"}, run.unit);
  visit(
      Field{"step",
            "eta_0: the local step size is eta_0 / (s K) for fedavg, fedsgd and scaffold, where batch_size gives each "
            "client an s of its own, else eta_0; left out, 1"},
      run.initial_step);
  visit(Field{"server_step", "eta_g: step size of the server, where local models are averaged; left out, 1"},
        run.server_step);
  visit(Field{"regularisation", "lambda of (lambda / 2) |x|^2"}, run.regularisation);
  visit(Field{"optimiser", "local steps by sgd, momentum or adam, for prifedsync"}, run.optimiser);
  visit(Field{"momentum", "beta_1 of momentum, Adam and adnfl, in [0, 1)"}, run.momentum);
  visit(Field{"second_momentum", "beta_2 of Adam and adnfl, in [0, 1)"}, run.second_momentum);
  visit(Field{"adaptivity", "pi of adnfl, or Adam's epsilon"}, run.adaptivity);
  visit(Field{"interpolation", "alpha: weight of the global model in a client's, for prifedsync; 1 is global"},
        run.interpolation);
  visit(Field{"radius", "models are projected on the ball of this radius about 0"}, run.radius);
  visit(Field{"smoothness",
              "beta of the loss, for the accelerated algorithms; mb-sgd with it takes the steps for strongly convex "
              "losses"},
        run.smoothness);
  visit(Field{"gap", "Delta: how far the initial loss is above the least at most, for multi-stage-ac-sa"}, run.gap);
  visit(Field{"granularity", "steps that an encoded coordinate is divided in, for binomial-ac-sa"}, run.granularity);
  visit(Field{"noise_bits", "random bits of an encoded coordinate, for binomial-ac-sa"}, run.noise_bits);
  visit(Field{"seed", "seed of data, sampling and noise"}, run.seed);
  visit(Field{"delta", "delta of every epsilon, in (0, 1)"}, run.delta);
  visit(Field{"epsilon", "budget: the run stops before the round that would exceed it"}, run.epsilon);
  visit(
      Field{"adversary",
            "whom --epsilon and --silo-epsilon are for: third-party, server, one-client, other-clients or user-level"},
      run.budget_for);
  visit(Field{"evaluate_every", "rounds between two evaluations"}, run.evaluate_every);
}

}  // namespace dpbudget::fl
