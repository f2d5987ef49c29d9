# Under CMAKE_UNITY_BUILD the files of one folder are compiled together: reading the headers is most of what a file costs.
# A folder is one that lies in a room (accounting/contour, fl/data), with all that is below it. Boost's numbers take so
# long to read that the files which include them are compiled together, wherever they lie.

# dpbudget_compile_folders_together(TARGET)
function(dpbudget_compile_folders_together target)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE file)
    cmake_path(GET file PARENT_PATH folder)
    string(REGEX MATCH "^((tests|tools)/)?[^/]+(/[^/]+)?" folder ${folder})
    string(REPLACE "/" "_" group ${folder})
    file(STRINGS ${PROJECT_SOURCE_DIR}/${file} heavy LIMIT_COUNT 1
         REGEX "^#include <boost/(multiprecision|math/(distributions|quadrature|special_functions))/")
    if(heavy AND NOT file MATCHES "^tests/")
      set(group boost)
    endif()
    set_property(SOURCE ${source} PROPERTY UNITY_GROUP ${group})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
endfunction()
