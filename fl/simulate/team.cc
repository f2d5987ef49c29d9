#include "dpbudget/fl/simulate/team.h"

#include <fmt/format.h>

#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/ledger/lines.h"
#include "dpbudget/fl/model/catalogue.h"
#include "dpbudget/fl/simulate/state_json.h"

namespace dpbudget::fl {
namespace {

using Json = nlohmann::json;

std::string packed(const Json& json) {
  std::string bytes;
  Json::to_cbor(json, bytes);
  return bytes;
}

// What the first rank asks for, under `do`.
constexpr const char* begin = "begin";
constexpr const char* train_slots = "train";
constexpr const char* score = "score";
constexpr const char* tell = "tell";
constexpr const char* keep_these = "keep";
constexpr const char* follow_these = "follow";
constexpr const char* over = "over";

// Runs with the same answer are the same on every rank.
Json identity_of(const ClientSide& side) {
  return {{"run", to_line(side.run().written()).dump(-1, ' ', false, Line::error_handler_t::replace)},
          {"fingerprint", side.clients().fingerprint()}};
}

Json answer_of(std::size_t slot, const Trained& trained) {
  Json answer{{"slot", slot}, {"failure", trained.failures[slot]}};
  if (!trained.failures[slot].empty()) return answer;
  answer["model"] = bytes_of(trained.updates[slot].model);
  answer["control"] = bytes_of(trained.updates[slot].control);
  answer["participation"] = Json(to_line(trained.participations[slot]));
  return answer;
}

void take_answer(const Json& answer, Trained& trained) {
  const std::size_t slot = integer_from(answer.at("slot"));
  trained.failures.at(slot) = answer.at("failure").get<std::string>();
  if (!trained.failures[slot].empty()) return;
  trained.updates[slot].model = vector_from(answer.at("model"));
  trained.updates[slot].control = vector_from(answer.at("control"));
  trained.participations[slot] = participation_from(Line(answer.at("participation")));
}

Json json_of(const Scores& scores) {
  return {{"losses", scores.losses}, {"scores", scores.scores}, {"own", scores.own}};
}

// Every number is 0 on all ranks but one.
void add(const Json& answer, Scores& scores) {
  const auto add_to = [&](std::vector<double>& sums, const char* name) {
    const auto found = answer.at(name).get<std::vector<double>>();
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += found.at(i);
  };
  add_to(scores.losses, "losses");
  add_to(scores.scores, "scores");
  add_to(scores.own, "own");
}

// What the others answer; what is wrong with it is told of by rank.
void take_answers(Ranks& ranks, const std::function<void(const Json&)>& take) {
  const std::vector<std::string> answers = ranks.to_first({});
  for (std::size_t rank = 1; rank < answers.size(); ++rank) {
    const Json answer = Json::from_cbor(answers[rank]);
    if (answer.contains("failed"))
      throw InvalidArgument(fmt::format("rank {}: {}", rank, answer.at("failed").get<std::string>()));
    try {
      take(answer);
    } catch (const InvalidArgument& error) {
      throw InvalidArgument(fmt::format("rank {}: {}", rank, error.what()));
    }
  }
}

void ask(Ranks& ranks, const Json& question, const std::function<void(const Json&)>& take) {
  ranks.from_first(packed(question));
  take_answers(ranks, take);
}

std::vector<ValidationError> errors_from(const Json& json) {
  std::vector<ValidationError> errors;
  for (const Json& error : json) errors.push_back({integer_from(error.at(0)), error.at(1)});
  return errors;
}

// What is thrown here while others answer: they are to be heard out first.
std::exception_ptr caught(const std::function<void()>& task) {
  try {
    task();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

// The run as one of the others has it.
class Served {
 public:
  Served(const Ranks& ranks, const SettledRun& run, const ClientSource& clients)
      : model_(make_model(run->model, clients.form(), run->precision)),
        side_(run, clients, *model_, Fault::none, share_of(&ranks), kept_) {}

  Json answer(const Json& question) {
    const std::string asked = question.at("do");
    if (asked == begin) return identity_of(side_);
    if (asked == train_slots) return trained(question);
    if (asked == score) return json_of(side_.scores(vector_from(question.at("model"))));
    if (asked == tell) return json_of(kept_);
    if (asked == keep_these) {
      kept_ = clients_from(question.at("kept"));
      std::erase_if(kept_, [&](const auto& one) { return !side_.share().has(one.first); });
    }
    if (asked == follow_these) side_.follow(errors_from(question.at("errors")));
    return Json::object();
  }

 private:
  Json trained(const Json& question) {
    const ServerState server = server_from(question.at("server"));
    const std::vector<std::uint64_t> clients = question.at("clients");
    trained_.resize(clients.size());
    side_.train({integer_from(question.at("number")), question.at("clip_norm"), server, clients}, trained_);
    Json answers = Json::array();
    for (std::size_t slot = 0; slot < clients.size(); ++slot)
      if (side_.share().has(clients[slot])) answers.push_back(answer_of(slot, trained_));
    return {{"slots", std::move(answers)}};
  }

  std::map<std::uint64_t, ClientState> kept_;
  std::unique_ptr<Model> model_;
  ClientSide side_;
  Trained trained_;
};

// Answers until the run is over; what fails is told.
void serve_by(Ranks& ranks, const std::function<Json(const Json&)>& answer) {
  for (;;) {
    const Json question = Json::from_cbor(ranks.from_first({}));
    if (question.at("do") == over) return;
    Json found;
    try {
      found = answer(question);
    } catch (const std::bad_alloc&) {
      found = {{"failed", "there is not enough memory"}};
    } catch (const std::exception& error) {
      found = {{"failed", error.what()}};
    }
    ranks.to_first(packed(found));
  }
}

}  // namespace

Team::Team(ClientSide& own, Ranks* others) : own_(own), others_(others) {
  if (others_ == nullptr) return;
  const Json identity = identity_of(own_);
  ask(*others_, {{"do", begin}}, [&](const Json& answer) {
    if (answer.at("run") != identity.at("run")) throw InvalidArgument("the run is another one there");
    if (answer.at("fingerprint") != identity.at("fingerprint")) throw InvalidArgument("the data are others there");
  });
}

void Team::train(const Call& call, Trained& trained) {
  if (others_ != nullptr)
    others_->from_first(packed({{"do", train_slots},
                                {"number", call.number},
                                {"clip_norm", call.clip_norm},
                                {"server", json_of(call.server)},
                                {"clients", std::vector<std::uint64_t>(call.clients.begin(), call.clients.end())}}));
  const std::exception_ptr failed = caught([&] { own_.train(call, trained); });
  if (others_ != nullptr)
    take_answers(*others_, [&](const Json& answer) {
      for (const Json& slot : answer.at("slots")) take_answer(slot, trained);
    });
  if (failed) std::rethrow_exception(failed);
}

Metrics Team::evaluate(std::uint64_t round, const Vector& global) {
  if (others_ != nullptr) others_->from_first(packed({{"do", score}, {"model", bytes_of(global)}}));
  Scores scores;
  const std::exception_ptr failed = caught([&] { scores = own_.scores(global); });
  if (others_ != nullptr) take_answers(*others_, [&](const Json& answer) { add(answer, scores); });
  if (failed) std::rethrow_exception(failed);
  return own_.metrics(round, global, scores);
}

std::map<std::uint64_t, ClientState> Team::kept() {
  std::map<std::uint64_t, ClientState> all = own_.kept();
  if (others_ != nullptr) ask(*others_, {{"do", tell}}, [&](const Json& answer) { all.merge(clients_from(answer)); });
  return all;
}

void Team::keep(const std::map<std::uint64_t, ClientState>& kept) {
  if (others_ != nullptr) ask(*others_, {{"do", keep_these}, {"kept", json_of(kept)}}, [](const Json&) {});
  if (&kept != &own_.kept()) own_.kept() = kept;
  std::erase_if(own_.kept(), [&](const auto& one) { return !own_.share().has(one.first); });
}

void Team::follow(const std::vector<ValidationError>& errors) {
  own_.follow(errors);
  if (others_ == nullptr) return;
  Json told = Json::array();
  for (const ValidationError& error : errors) told.push_back({error.round, error.error});
  ask(*others_, {{"do", follow_these}, {"errors", std::move(told)}}, [](const Json&) {});
}

void serve(Ranks& ranks, const SettledRun& run, const ClientSource& clients) {
  std::optional<Served> served;
  serve_by(ranks, [&](const Json& question) {
    if (!served) served.emplace(ranks, run, clients);
    return served->answer(question);
  });
}

void decline(Ranks& ranks, const std::string& why) {
  serve_by(ranks, [&](const Json&) { return Json{{"failed", why}}; });
}

void dismiss(Ranks& ranks) { ranks.from_first(packed({{"do", over}})); }

}  // namespace dpbudget::fl
