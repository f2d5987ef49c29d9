/// @file
/// Work divided over processes.
#pragma once

#include <cstdint>
#include <functional>

namespace dpbudget::tools {

/// Calls work(0) to work(count - 1), each in one of so many processes, which take the next when they are done with one;
/// with one process, in this one. No thread may run. An interrupt (SIGINT, SIGTERM) of this process, which an
/// InterruptNote has noted, goes to all of them; they end when what they are at has ended.
/// @param work  returns an exit status; what it throws is told on standard error and ends the process that it is in,
/// but
///              no other; in this process it is thrown on
/// @param done  told in this process how many are done, now and then
/// @return the greatest exit status
int in_processes(std::size_t count, std::uint64_t processes, const std::function<int(std::size_t)>& work,
                 const std::function<void(std::size_t)>& done);

}  // namespace dpbudget::tools
