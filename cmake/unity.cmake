# Under CMAKE_UNITY_BUILD the files of one folder are compiled together: reading the headers is most of what a file costs.
# A folder is one that lies in a room (accounting/contour, fl/data), with all that is below it.

# dpbudget_compile_folders_together(TARGET)
function(dpbudget_compile_folders_together target)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE file)
    cmake_path(GET file PARENT_PATH folder)
    string(REGEX MATCH "^((tests|tools)/)?[^/]+(/[^/]+)?" folder ${folder})
    string(REPLACE "/" "_" folder ${folder})
    set_property(SOURCE ${source} PROPERTY UNITY_GROUP ${folder})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
endfunction()
