/// @file
/// Comma-separated values as text: the format alone, without any meaning of a column.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dpbudget/fl/data/byte_file.h"

namespace dpbudget::fl {

/// One record, and the line of the file (from 1) on which it begins.
struct CsvRecord {
  std::uint64_t line;
  std::vector<std::string> fields;
};

/// The records of `file`, the header being the first. As RFC 4180 has it: fields are separated by commas, and one that
/// holds a comma, a quote or a line break stands in double quotes, with its quotes doubled; spaces belong to the field.
/// Lines end in LF or CR LF, the last one also in the file's end. A byte-order mark of UTF-8 is passed over.
///
/// @throws InvalidArgument "FILE: line L: why" for a quote inside an unquoted field, text after a closing quote, a
/// quote that is not closed, or a carriage return that ends no line; or "FILE: why" as ByteFile
/// @source RFC 4180, section 2
std::vector<CsvRecord> read_csv_records(ByteFile& file);

/// `text` in quotes as an error message may show it: cut after 40 bytes, what is no printable ASCII as `?`.
std::string shown(std::string_view text);

}  // namespace dpbudget::fl
