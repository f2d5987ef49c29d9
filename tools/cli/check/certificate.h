/// @file
/// --certificate: an answer with what somebody else needs to check it without searching for anything.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "dpbudget/accounting/base/bound.h"
#include "dpbudget/accounting/plan/plan.h"
#include "dpbudget/tools/cli/options/command_line.h"
#include "dpbudget/tools/cli/options/options.h"

namespace dpbudget::tools {

/// Of what docs/certificate.schema.json describes.
inline constexpr int certificate_version = 1;

/// @param file  read as the name of a file, empty where none is wanted; outlives the command
void certificate_option(const Command& command, std::string& file);

/// Refuses a file that cannot be written, before the work whose answer it is to hold.
void check_certificate_file(const std::string& file, const PlanArgument& plan);

/// What is asked, what is answered, and for each end by whom, by which theorems and with which witness.
/// @throws Unsupported when the answer is an estimate
nlohmann::json certificate(const Plan& plan, double delta, const Bound& epsilon);
/// The same where delta is what is asked for.
nlohmann::json certificate(const Plan& plan, double epsilon, const DeltaBound& delta);

/// @throws CannotWrite
void write_certificate(const std::string& file, const nlohmann::json& certificate);

}  // namespace dpbudget::tools
