// Ctrl-C in the middle of a run, as a terminal sends it.

#include <fcntl.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <regex>
#include <string>
#include <thread>
#include <vector>

#include "tools/cli/program.h"

namespace dpbudget::testing {
namespace {

// A simulation in a process of its own. What it prints goes into a pipe that nobody empties before `output`: a run that
// prints more than the pipe holds cannot end earlier, however slow or fast the machine is.
class Child {
 public:
  Child(const std::string& folder, const std::string& arguments) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("no pipe");
    fcntl(ends[1], F_SETPIPE_SZ, 4096);
    out_ = ends[0];
    id_ = fork();
    if (id_ == 0) {
      dup2(ends[1], STDOUT_FILENO);
      close(ends[0]);
      close(ends[1]);
      const std::string command = "cd '" + folder + "' && exec '" + program() + "' " + arguments + " 2>err";
      execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      _exit(127);
    }
    close(ends[1]);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (id_ > 0) {
      kill(id_, SIGKILL);
      waitpid(id_, nullptr, 0);
    }
    close(out_);
  }

  bool has_ended() {
    int status = 0;
    if (id_ > 0 && waitpid(id_, &status, WNOHANG) == id_) id_ = 0;
    return id_ == 0;
  }
  void interrupt() const { kill(id_, SIGINT); }

  // Everything it prints until it ends, and the status with which it does.
  Ran output() {
    Ran ran{-1, "", ""};
    std::array<char, 4096> buffer{};
    for (ssize_t size = 0; (size = read(out_, buffer.data(), buffer.size())) > 0;)
      ran.out.append(buffer.data(), static_cast<std::size_t>(size));
    int status = 0;
    waitpid(id_, &status, 0);
    id_ = 0;
    if (WIFEXITED(status)) ran.status = WEXITSTATUS(status);
    return ran;
  }

 private:
  pid_t id_ = 0;
  int out_ = -1;
};

class Interrupt : public Program {
 protected:
  std::ptrdiff_t lines(const std::string& name) const {
    const std::string all = text_of(name);
    return std::count(all.begin(), all.end(), '\n');
  }
};

TEST_F(Interrupt, LeavesARunThatResumesToTheSameLedger) {
  // 800 lines of an evaluation each are several times what the pipe and the program's own buffer hold.
  const std::string options =
      "simulate --algorithm dp-fedavg --users 4 --records 20 --user-rate 0.5 --rounds 800 --local-steps 1 --noise 50 "
      "--clip 1 --threads 1 --evaluate-every 1 ";
  const std::string files = "--ledger run.jsonl --checkpoint run.checkpoint --checkpoint-every 7 ";
  Child child(folder_.string(), options + files);
  // Until then nothing but starving could keep it from going on; a minute is for that.
  const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (lines("run.jsonl") < 20 && std::chrono::steady_clock::now() < until) {
    ASSERT_FALSE(child.has_ended()) << text_of("err");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ASSERT_GE(lines("run.jsonl"), 20);
  child.interrupt();
  const Ran interrupted = child.output();
  EXPECT_EQ(interrupted.status, 130) << text_of("err");
  EXPECT_NE(text_of("err").find("interrupted after round "), std::string::npos) << text_of("err");

  const Ran whole = run(options + "--ledger whole.jsonl");
  EXPECT_EQ(whole.status, 0) << whole.err;
  const std::string begun = text_of("run.jsonl");
  const std::string expected = text_of("whole.jsonl");
  ASSERT_LT(begun.size(), expected.size()) << "the run had ended before it was interrupted";
  EXPECT_EQ(expected.compare(0, begun.size(), begun), 0);

  const Ran resumed = run(options + files + "--resume");
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_TRUE(text_of("run.jsonl") == expected);
}

// A write that nobody reads yet was cut short, and standard output given up.
TEST_F(Interrupt, LosesNothingOfWhatWaitsToBeRead) {
  Child child(folder_.string(),
              "simulate --algorithm dp-fedavg --users 4 --records 20 --user-rate 0.5 --rounds 800 --local-steps 1 "
              "--noise 50 --clip 1 --threads 1 --evaluate-every 1 --ledger run.jsonl ");
  const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  std::ptrdiff_t last = -1;
  for (int stuck = 0; stuck < 20 && std::chrono::steady_clock::now() < until;) {
    ASSERT_FALSE(child.has_ended()) << text_of("err");
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    const std::ptrdiff_t now = lines("run.jsonl");
    stuck = now == last && now >= 20 ? stuck + 1 : 0;
    last = now;
  }
  child.interrupt();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const Ran interrupted = child.output();
  EXPECT_EQ(interrupted.status, 130) << text_of("err");
  const std::string said = text_of("err");
  constexpr std::string_view before = "interrupted after round ";
  const std::size_t at = said.find(before);
  ASSERT_NE(at, std::string::npos) << said;
  const int round = std::stoi(said.substr(at + before.size()));
  for (int printed = 0; printed <= round + 1; ++printed) {
    const std::regex row("\n *" + std::to_string(printed) + " +[0-9.]+ +[0-9.]+ %");
    EXPECT_EQ(std::regex_search(interrupted.out, row), printed <= round) << printed << " of " << round;
  }
}

// In processes of its own, which the terminal does not reach.
TEST_F(Interrupt, LeavesASweepThatGoesOn) {
  const std::string options =
      "sweep --algorithm dp-fedavg --users 4 --records 20 --user-rate 0.5 --rounds 40 --local-steps 1 --noise 50 "
      "--clip 1 --processes 2 --seeds 400 --grid step=0.1,1 --results all.jsonl ";
  Child child(folder_.string(), options);
  const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (lines("all.jsonl") < 5 && std::chrono::steady_clock::now() < until) {
    ASSERT_FALSE(child.has_ended()) << text_of("err");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ASSERT_GE(lines("all.jsonl"), 5);
  child.interrupt();
  EXPECT_EQ(child.output().status, 130) << text_of("err");
  const std::ptrdiff_t done = lines("all.jsonl");
  ASSERT_LT(done, 800);
  EXPECT_NE(text_of("err").find("interrupted; all.jsonl holds the " + std::to_string(done) + " runs"),
            std::string::npos)
      << text_of("err");
  const Ran rest = run(options + "--shard 800/800");
  EXPECT_EQ(rest.status, 0) << rest.err;
  EXPECT_NE(rest.out.find("of which " + std::to_string(done) + " are in all.jsonl already"), std::string::npos)
      << rest.out;
}

// Three seeds, of which the second is killed.
class KilledSeed : public Program {
 protected:
  const std::string options =
      "simulate --algorithm dp-fedavg --users 4 --records 20 --user-rate 0.5 --rounds 40 --local-steps 1 --noise 50 "
      "--clip 1 --threads 1 --evaluate-every 5 ";
  const std::vector<std::string> all_kinds = {"jsonl", "results", "checkpoint"};

  static std::string named(const std::string& name) {
    return "--ledger " + name + ".jsonl --results " + name + ".results --checkpoint " + name + ".checkpoint ";
  }
  static std::string of_seed(const std::string& name, int seed, const std::string& kind) {
    return name + ".seed-" + std::to_string(seed) + "." + kind;
  }

  void SetUp() override {
    Program::SetUp();
    ASSERT_EQ(run(options + named("whole") + "--seeds 3").status, 0);
    for (const std::string& kind : all_kinds)
      std::filesystem::copy_file(path(of_seed("whole", 1, kind)), path(of_seed("run", 1, kind)));
  }

  // By the signal that comes when its ledger grows beyond 8 kB, of 35.
  void kill_second(const std::string& how) {
    const Ran killed = run_after("ulimit -c 0 && ulimit -f 16", options + named("run.seed-2") + "--seed 2 " + how);
    EXPECT_NE(killed.status, 0);
    const std::string whole = text_of(of_seed("whole", 2, "jsonl"));
    const std::string part = text_of(of_seed("run", 2, "jsonl"));
    ASSERT_GT(part.size(), 4096U);
    ASSERT_LT(part.size(), whole.size());
    ASSERT_EQ(part, whole.substr(0, part.size()));
  }

  // Every file of the series as if nothing had happened.
  void expect_whole() {
    for (const std::string& kind : all_kinds)
      for (const int seed : {1, 2, 3})
        EXPECT_TRUE(without_seconds(text_of(of_seed("run", seed, kind))) ==
                    without_seconds(text_of(of_seed("whole", seed, kind))))
            << kind << seed;
  }

  // Of rows of results, whose seconds are the clock's.
  static std::string without_seconds(const std::string& text) {
    return std::regex_replace(text, std::regex(R"("seconds":[^,}]*)"), "");
  }
};

TEST_F(KilledSeed, IsResumedAndTheOthersFollow) {
  for (const std::string every : {"--checkpoint-every 3 ", "--checkpoint-every 39 "}) {
    kill_second(every);
    EXPECT_EQ(std::filesystem::exists(path(of_seed("run", 2, "checkpoint"))), every == "--checkpoint-every 3 ");
    const Ran resumed = run(options + named("run") + "--seeds 3 --resume " + every);
    EXPECT_EQ(resumed.status, 0) << resumed.err;
    expect_whole();
    for (const int seed : {2, 3})
      for (const std::string& kind : all_kinds) std::filesystem::remove(path(of_seed("run", seed, kind)));
  }
}

TEST_F(KilledSeed, IsNotTakenForOneThatLostItsCheckpoint) {
  const auto refused = [&](const std::string& said) { refuses(options + named("run") + "--seeds 3 --resume", said); };
  kill_second("--checkpoint-every 3 ");
  std::filesystem::rename(path("run.seed-1.checkpoint"), path("kept"));
  refused("checkpoint run.seed-1.checkpoint cannot be read, but that of a later seed, run.seed-2.checkpoint, is there");
  std::filesystem::rename(path("kept"), path("run.seed-1.checkpoint"));
  ASSERT_EQ(run(options + named("run") + "--seeds 3 --resume").status, 0);
  std::filesystem::remove(path("run.seed-3.checkpoint"));
  const Ran finished = run(options + named("run") + "--seeds 3 --resume");
  EXPECT_EQ(finished.status, 2);
  EXPECT_EQ(finished.err,
            "dpbudget: checkpoint run.seed-3.checkpoint cannot be read, but ledger run.seed-3.jsonl is of its run, and "
            "finished\n");
  EXPECT_TRUE(text_of("run.seed-3.jsonl") == text_of("whole.seed-3.jsonl"));
  // A finished ledger of other options is as good as none.
  ASSERT_EQ(run(options + "--step 0.5 --seed 3 --ledger run.seed-3.jsonl").status, 0);
  ASSERT_EQ(run(options + named("run") + "--seeds 3 --resume").status, 0);
  expect_whole();
  for (const int seed : {1, 2, 3}) std::filesystem::remove(path(of_seed("run", seed, "checkpoint")));
  refused("checkpoint run.seed-1.checkpoint cannot be read");
  EXPECT_TRUE(text_of("run.seed-1.jsonl") == text_of("whole.seed-1.jsonl"));
}

}  // namespace
}  // namespace dpbudget::testing
