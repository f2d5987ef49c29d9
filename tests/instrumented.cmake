# The tests a second time, on what is tested under the address and the undefined-behaviour sanitizer. The tests' own code
# is not built again: that would take longer than all else.
if(NOT DPBUDGET_SANITIZE)
  return()
endif()

# What no integer holds and becomes one is undefined as well, but not among what `undefined` looks for.
set(sanitizers -fsanitize=address,undefined,float-cast-overflow)
get_target_property(library_sources dpbudget SOURCES)
get_target_property(tools_sources dpbudget_tools SOURCES)

# Parsers of options take the longest of all to optimise, and need it least.
set_source_files_properties(${tools_sources} PROPERTIES COMPILE_OPTIONS -O0 SKIP_PRECOMPILE_HEADERS ON)

add_library(dpbudget_instrumented OBJECT ${library_sources} ${tools_sources})
dpbudget_compile_folders_together(dpbudget_instrumented)
target_compile_features(dpbudget_instrumented PUBLIC cxx_std_20)
target_include_directories(dpbudget_instrumented PUBLIC ${PROJECT_BINARY_DIR}/include ${PROJECT_BINARY_DIR}/generated)
target_include_directories(dpbudget_instrumented SYSTEM PRIVATE ${RANDOM123_INCLUDE_DIR} ${TOMLPLUSPLUS_INCLUDE_DIR})
target_compile_options(dpbudget_instrumented PUBLIC -O1 -g1 ${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
# Eigen would allocate otherwise here than in the tests' own code.
target_compile_definitions(dpbudget_instrumented PUBLIC EIGEN_MALLOC_ALREADY_ALIGNED=1)
target_link_options(dpbudget_instrumented PUBLIC ${sanitizers})
target_link_libraries(dpbudget_instrumented PUBLIC dpbudget_options Boost::headers Eigen3::Eigen FastFloat::fast_float
                                                   nlohmann_json::nlohmann_json CLI11::CLI11 fmt::fmt TBB::tbb ZLIB::ZLIB)
target_precompile_headers(dpbudget_instrumented PRIVATE <algorithm> <functional> <memory> <optional> <ranges> <string> <variant>
                                                        <vector> <fmt/format.h> <Eigen/Core>)

get_target_property(main dpbudget_program SOURCES)
add_executable(dpbudget_instrumented_program ${PROJECT_SOURCE_DIR}/tools/cli/${main} $<TARGET_OBJECTS:dpbudget_instrumented>)
target_link_libraries(dpbudget_instrumented_program PRIVATE dpbudget_instrumented)

function(dpbudget_instrumented_tests target)
  # Of an inline function that both contain, the linker takes the first: the instrumented one.
  add_executable(instrumented_${target} $<TARGET_OBJECTS:dpbudget_instrumented> $<TARGET_OBJECTS:${target}_objects>)
  set_target_properties(instrumented_${target} PROPERTIES LINKER_LANGUAGE CXX)
  target_link_options(instrumented_${target} PRIVATE ${sanitizers})
  target_link_libraries(instrumented_${target} PRIVATE fmt::fmt TBB::tbb ZLIB::ZLIB rapidcheck GTest::gtest GTest::gtest_main)
  add_dependencies(instrumented_${target} dpbudget_instrumented_program)
  gtest_discover_tests(
    instrumented_${target} TEST_PREFIX instrumented. DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT 600 LABELS instrumented
               ENVIRONMENT "DPBUDGET_PROGRAM=${PROJECT_BINARY_DIR}/tests/dpbudget_instrumented_program")
endfunction()
