# find_package and find_path for everything that is needed, so that one line can name all that is missing.

# dpbudget_find(NAME VERSION [HEADER FILE PATH VARIABLE [IN FOLDER] | WITH ARGUMENT...] DEBIAN PACKAGE BREW FORMULA): the
# package NAME, by find_package with these arguments, or, with HEADER, the folder of that header, which goes into VARIABLE; it
# may be among other headers or in FOLDER there. VERSION may be empty. A macro: find_package sets variables.
macro(dpbudget_find name version)
  cmake_parse_arguments(one "" "HEADER;PATH;IN;DEBIAN;BREW" "WITH" ${ARGN})
  if(one_HEADER)
    find_path(${one_PATH} ${one_HEADER} PATH_SUFFIXES ${one_IN})
    set(one_found ${${one_PATH}})
  else()
    find_package(${name} ${version} QUIET ${one_WITH})
    set(one_found ${${name}_FOUND})
  endif()
  if(NOT one_found)
    string(STRIP "${name} ${version}" one_wanted)
    list(APPEND missing ${one_wanted})
    list(APPEND missing_debian ${one_DEBIAN})
    list(APPEND missing_brew ${one_BREW})
  endif()
endmacro()

# Ends the configuration where something is missing.
function(dpbudget_require_found)
  if(NOT missing)
    return()
  endif()
  list(JOIN missing ", " names)
  list(JOIN missing_debian " " debian)
  list(JOIN missing_brew " " brew)
  # CMake breaks no line that begins with a space.
  message(FATAL_ERROR " not found: ${names}; on Debian: apt-get install ${debian}; on macOS: brew install ${brew}")
endfunction()
