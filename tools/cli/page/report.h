/// @file
/// --report: the page of a command, written when the command has ended.
#pragma once

#include <iostream>
#include <sstream>
#include <streambuf>
#include <string>

#include "dpbudget/tools/cli/output/output_file.h"
#include "dpbudget/tools/cli/page/page.h"

namespace dpbudget::tools {

/// Where a page goes; empty: none is wanted.
struct Report {
  std::string file;
  Page page;
  std::string command_line;
};

/// The command line as a shell reads it back, "dpbudget" in the place of the program's path; a long one on several
/// lines.
std::string shell_text(int argc, const char* const* argv);

/// While it lives, what goes to standard output is kept for the page as well.
class Recording {
 public:
  /// @param named  all that the command's options name, which the page must not be written over
  /// @throws InvalidArgument when the file ends in neither .html nor .md, its folder does not exist, or it is one of
  ///         `named`; CannotWrite when it cannot be opened
  Recording(Report& report, std::string_view command, std::string_view purpose, const NamedFiles& named);
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  /// Writes the page, beside its place first and then there.
  /// @throws CannotWrite
  void finish();

 private:
  // Writes to both.
  class Both final : public std::streambuf {
   public:
    Both(std::streambuf& first, std::streambuf& second) : first_(first), second_(second) {}

   protected:
    int_type overflow(int_type character) override;
    std::streamsize xsputn(const char* text, std::streamsize size) override;
    int sync() override { return first_.pubsync(); }

   private:
    std::streambuf& first_;
    std::streambuf& second_;
  };

  Report& report_;
  std::stringbuf kept_;
  std::streambuf* standard_output_;
  Both both_;
};

}  // namespace dpbudget::tools
