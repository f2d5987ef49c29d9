#include "dpbudget/tools/cli/sweep/processes.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <exception>
#include <iostream>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

#include "dpbudget/fl/files/cannot_write.h"
#include "dpbudget/tools/cli/output/exit_status.h"
#include "dpbudget/tools/cli/simulation/interrupt_note.h"

namespace dpbudget::tools {
namespace {

// What all of them see.
struct Shared {
  std::atomic<std::size_t> next = 0;
  std::atomic<std::size_t> done = 0;
};
static_assert(std::atomic<std::size_t>::is_always_lock_free);

class SharedPage {
 public:
  SharedPage() {
    void* page = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) throw std::bad_alloc();
    shared_ = new (page) Shared;
  }
  SharedPage(const SharedPage&) = delete;
  SharedPage& operator=(const SharedPage&) = delete;
  ~SharedPage() { munmap(shared_, sizeof(Shared)); }
  Shared& operator*() const { return *shared_; }

 private:
  Shared* shared_;
};

int take_all(Shared& shared, std::size_t count, const std::function<int(std::size_t)>& work) {
  int status = 0;
  for (std::size_t i = shared.next++; i < count && !was_interrupted(); i = shared.next++) {
    status = std::max(status, work(i));
    ++shared.done;
  }
  return status;
}

// The whole life of a process: it never returns to what it was copied from.
[[noreturn]] void live(Shared& shared, std::size_t count, const std::function<int(std::size_t)>& work) {
  // The process that it was copied from passes interrupts on, once, and does not leave it behind.
  setpgid(0, 0);
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
  int status = 0;
  try {
    status = take_all(shared, count, work);
  } catch (const CannotWrite& error) {
    std::cerr << fmt::format("dpbudget: {}\n", error.what());
    status = cannot_write;
  } catch (const std::exception& error) {
    std::cerr << fmt::format("dpbudget: {}\n", error.what());
    status = bad_input;
  }
  std::cerr.flush();
  _exit(status);
}

// How a process ended.
int status_of(int ended) {
  if (WIFEXITED(ended)) return WEXITSTATUS(ended);
  std::cerr << fmt::format("dpbudget: a process was ended by signal {}; the same command does what it left undone\n",
                           WTERMSIG(ended));
  return 128 + WTERMSIG(ended);
}

}  // namespace

int in_processes(std::size_t count, std::uint64_t processes, const std::function<int(std::size_t)>& work,
                 const std::function<void(std::size_t)>& done) {
  const SharedPage page;
  Shared& shared = *page;
  if (processes == 1)
    return take_all(shared, count, [&](std::size_t i) {
      const int status = work(i);
      done(i + 1);
      return status;
    });
  std::cout.flush();
  std::vector<pid_t> living;
  int status = 0;
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(processes, count); ++i) {
    const pid_t child = fork();
    if (child == 0) live(shared, count, work);
    if (child > 0) living.push_back(child);
  }
  if (living.empty() && count > 0) throw std::runtime_error("no process could be started");
  bool is_told = false;
  while (!living.empty()) {
    std::erase_if(living, [&](pid_t child) {
      int ended = 0;
      if (waitpid(child, &ended, WNOHANG) != child) return false;
      status = std::max(status, status_of(ended));
      return true;
    });
    if (was_interrupted() && !is_told) {
      for (const pid_t child : living) kill(child, SIGINT);
      is_told = true;
    }
    done(shared.done);
    if (!living.empty()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return status;
}

}  // namespace dpbudget::tools
