# Registers the test that installs this build and uses it from the project in this folder, as a stranger would.
if(CMAKE_CROSSCOMPILING)
  return()
endif()
set(package_compiler -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} -DCMAKE_CXX_FLAGS=${CMAKE_CXX_FLAGS}
                     -DCMAKE_PREFIX_PATH=${CMAKE_PREFIX_PATH})
if(DPBUDGET_INSTALL)
  set(package_prefix ${CMAKE_CURRENT_BINARY_DIR}/package/prefix)
  set(package_build ${CMAKE_CURRENT_BINARY_DIR}/package/build)
  add_test(NAME package.clean COMMAND ${CMAKE_COMMAND} -E rm -rf ${package_prefix} ${package_build})
  add_test(NAME package.install COMMAND ${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR} --prefix ${package_prefix})
  add_test(NAME package.build_and_run
           COMMAND ${CMAKE_CTEST_COMMAND} --build-and-test ${CMAKE_CURRENT_LIST_DIR} ${package_build}
                   --build-generator ${CMAKE_GENERATOR}
                   --build-options -Ddpbudget_ROOT=${package_prefix} ${package_compiler}
                                   -DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE}
                   --test-command ${package_build}/budget_of_a_run)
  set_tests_properties(package.clean PROPERTIES FIXTURES_SETUP package_clean)
  set_tests_properties(package.install PROPERTIES FIXTURES_REQUIRED package_clean FIXTURES_SETUP package_installed)
  set_tests_properties(package.build_and_run PROPERTIES FIXTURES_REQUIRED package_installed
                                                        FIXTURES_SETUP package_built)
  if(DPBUDGET_BUILD_SIMULATOR)
    add_test(NAME package.own_algorithm COMMAND ${package_build}/own_algorithm WORKING_DIRECTORY ${package_build})
    set_tests_properties(package.own_algorithm PROPERTIES FIXTURES_REQUIRED package_built)
  endif()
endif()

add_test(NAME package.inside_a_project
         COMMAND ${CMAKE_COMMAND} --fresh -S ${CMAKE_CURRENT_LIST_DIR}/inside -B ${CMAKE_CURRENT_BINARY_DIR}/package/inside
                 -G ${CMAKE_GENERATOR} -DDPBUDGET_SOURCE_DIR=${PROJECT_SOURCE_DIR} ${package_compiler})
