// Ctrl-C in the middle of a run, as a terminal sends it.

#include <fcntl.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "tools/program.h"

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

}  // namespace
}  // namespace dpbudget::testing
