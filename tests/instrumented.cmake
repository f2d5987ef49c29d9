# The tests a second time, on what is tested under the address and the undefined-behaviour sanitizer. The tests' own code
# is not built again: that would take longer than all else.
if(NOT DPBUDGET_SANITIZE)
  return()
endif()

# What no integer holds and becomes one is undefined as well, but not among what `undefined` looks for.
set(sanitizers -fsanitize=address,undefined,float-cast-overflow)
get_target_property(library_sources dpbudget SOURCES)
get_target_property(tools_sources dpbudget_tools SOURCES)

# dpbudget_instrumented_objects(NAME OPTIMISATION SOURCE...)
function(dpbudget_instrumented_objects name optimisation)
  add_library(${name} OBJECT ${ARGN})
  dpbudget_compile_folders_together(${name})
  target_compile_features(${name} PUBLIC cxx_std_20)
  target_include_directories(${name} PUBLIC ${PROJECT_BINARY_DIR}/include ${PROJECT_BINARY_DIR}/generated)
  target_include_directories(${name} SYSTEM PRIVATE ${RANDOM123_INCLUDE_DIR} ${TOMLPLUSPLUS_INCLUDE_DIR})
  target_compile_options(${name} PUBLIC ${optimisation} -g1 ${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  # Eigen would allocate otherwise here than in the tests' own code.
  target_compile_definitions(${name} PUBLIC EIGEN_MALLOC_ALREADY_ALIGNED=1)
  target_link_options(${name} PUBLIC ${sanitizers})
  target_link_libraries(${name} PUBLIC dpbudget_options Boost::headers Eigen3::Eigen FastFloat::fast_float
                                       nlohmann_json::nlohmann_json CLI11::CLI11 fmt::fmt TBB::tbb ZLIB::ZLIB)
endfunction()

dpbudget_instrumented_objects(dpbudget_instrumented -O1 ${library_sources})
target_precompile_headers(dpbudget_instrumented PRIVATE <algorithm> <functional> <memory> <optional> <ranges> <string> <variant>
                                                        <vector> <fmt/format.h> <Eigen/Core>)
# Parsers of options take the longest of all to optimise, and need it least.
dpbudget_instrumented_objects(dpbudget_instrumented_tools -O0 ${tools_sources})
target_precompile_headers(dpbudget_instrumented_tools PRIVATE <functional> <memory> <optional> <string> <variant> <vector>
                                                              <fmt/format.h> <nlohmann/json.hpp>)
set(instrumented_objects $<TARGET_OBJECTS:dpbudget_instrumented> $<TARGET_OBJECTS:dpbudget_instrumented_tools>)

get_target_property(main dpbudget_program SOURCES)
add_executable(dpbudget_instrumented_program ${PROJECT_SOURCE_DIR}/tools/cli/${main} ${instrumented_objects})
target_link_libraries(dpbudget_instrumented_program PRIVATE dpbudget_instrumented)

function(dpbudget_instrumented_tests target)
  # Of an inline function that both contain, the linker takes the first: the instrumented one.
  add_executable(instrumented_${target} ${instrumented_objects} $<TARGET_OBJECTS:${target}_objects>)
  set_target_properties(instrumented_${target} PROPERTIES LINKER_LANGUAGE CXX)
  target_link_options(instrumented_${target} PRIVATE ${sanitizers})
  target_link_libraries(instrumented_${target} PRIVATE fmt::fmt TBB::tbb ZLIB::ZLIB rapidcheck GTest::gtest GTest::gtest_main)
  add_dependencies(instrumented_${target} dpbudget_instrumented_program)
  # An instrumented process takes longer to begin than most tests to run, so each runs a sixteenth of them.
  set(shards 16)
  math(EXPR last "${shards} - 1")
  foreach(shard RANGE ${last})
    set(variables "GTEST_TOTAL_SHARDS=${shards}" "GTEST_SHARD_INDEX=${shard}"
                  "DPBUDGET_PROGRAM=${PROJECT_BINARY_DIR}/tests/dpbudget_instrumented_program")
    add_test(NAME instrumented.${target}.${shard} COMMAND instrumented_${target})
    set_tests_properties(
      instrumented.${target}.${shard} PROPERTIES LABELS instrumented TIMEOUT 1800 ENVIRONMENT "${variables}")
  endforeach()
endfunction()
