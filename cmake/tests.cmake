# The tests, as CTest sees them; labels: unit, oracle, program, fuzz, source, example.
# All run in the project's folder, so that they find tests/fixtures. The targets tests-unit,
# tests-fuzz and tests-program build what the tests of these labels run, and nothing else.

function(attend_test name label)
  add_test(NAME ${name} COMMAND ${ARGN} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES LABELS ${label} TIMEOUT 1800
                       ENVIRONMENT "${test_environment}")
endfunction()

function(attend_test_program name label)
  attend_program(${name} ${ARGN})
  if(NOT TARGET tests-${label})
    add_custom_target(tests-${label})
  endif()
  add_dependencies(tests-${label} ${name})
endfunction()

if(ATTEND_SANITIZE MATCHES address)
  set(known ${PROJECT_SOURCE_DIR}/tests/leaks.lsan)
  set(test_environment "LSAN_OPTIONS=suppressions=${known}:print_suppressions=0")
endif()

# Libraries that the sanitizer has not compiled synchronise without its knowledge, and by itself it
# ends a program with threads that forks.
if(ATTEND_SANITIZE MATCHES thread)
  set(test_environment "TSAN_OPTIONS=ignore_noninstrumented_modules=1:die_after_fork=0")
endif()

# ---- fuzz targets: libFuzzer in the fuzz build, else a replay of the corpus -----------------

file(GLOB files CONFIGURE_DEPENDS tests/fuzz/*.c)
list(FILTER files EXCLUDE REGEX "/replay\\.c$")
foreach(file IN LISTS files)
  cmake_path(GET file STEM name)
  if("api" IN_LIST ATTEND_FOLDERS)
    if(ATTEND_FUZZ)
      attend_test_program(fuzz-${name} fuzz FILES ${file})
      target_link_options(fuzz-${name} PRIVATE -fsanitize=fuzzer)
    else()
      attend_test_program(fuzz-${name} fuzz FILES ${file} tests/fuzz/replay.c)
      attend_test(fuzz-${name} fuzz fuzz-${name} tests/fuzz/corpus/${name})
    endif()
  endif()
endforeach()
if(ATTEND_FUZZ)
  return()
endif()

# ---- unit tests: tests/unit/<folder>_<file>.c, one program each -----------------------------

file(GLOB files CONFIGURE_DEPENDS tests/unit/*.c)
if(NOT "store" IN_LIST ATTEND_FOLDERS)
  list(FILTER files EXCLUDE REGEX "/base_(json|config|checksum|checksum_list)\\.c$")
endif()
if(ATTEND_REAL STREQUAL double) # folders that see only base: nothing in them is a real
  list(FILTER files EXCLUDE REGEX "/(text|measure|draw)_[a-z0-9_]*\\.c$")
endif()
foreach(file IN LISTS files)
  cmake_path(GET file STEM name)
  string(REGEX REPLACE "_.*" "" folder ${name})
  if(folder IN_LIST ATTEND_FOLDERS OR "api" IN_LIST ATTEND_FOLDERS)
    set(command_files "")
    if(folder STREQUAL "makers") # which is of the command, not of the library
      set(command_files ${makers})
    elseif(folder STREQUAL cli) # the command but for main.c, which its test includes
      set(command_files $<FILTER:$<TARGET_OBJECTS:attend>,EXCLUDE,/cli/main\\.c>)
    endif()
    attend_test_program(unit_${name} unit FILES ${file} ${command_files}
                        LIBRARIES PkgConfig::CMOCKA)
    set_target_properties(unit_${name} PROPERTIES
                          RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/unit)
    if(CMAKE_CROSSCOMPILING)
      target_compile_definitions(unit_${name} PRIVATE ATTEND_EMULATED)
    endif()
    attend_test(unit_${name} unit unit_${name})
  endif()
endforeach()
if(CMAKE_CROSSCOMPILING)
  return()
endif()

# ---- against other people's numbers ---------------------------------------------------------

file(GLOB files CONFIGURE_DEPENDS tests/oracle/*.c)
if(files)
  attend_test_program(oracle-check program FILES ${files})
  if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/tests/fixtures/oracle)
    attend_test(oracle oracle oracle-check tests/fixtures/oracle)
  endif()
endif()

# ---- what an attention mechanism can learn: run by script/learn -------------------------------

file(GLOB files CONFIGURE_DEPENDS tests/learn/*.c)
attend_test_program(learn-check program FILES ${files})

# ---- the reference page, which is made of what the library lists -----------------------------

attend_test_program(reference-page program FILES docs/reference/generate.c docs/reference/example.c)

# ---- whole programs: tests/*_test.sh get the build folder ------------------------------------

add_dependencies(tests-program attend)
file(GLOB files CONFIGURE_DEPENDS tests/*_test.sh)
list(REMOVE_ITEM files ${PROJECT_SOURCE_DIR}/tests/cli_test.sh)
foreach(file IN LISTS files)
  cmake_path(GET file STEM name)
  attend_test(${name} program ${file} ${PROJECT_BINARY_DIR})
endforeach()
file(GLOB files CONFIGURE_DEPENDS tests/cli/*.sh)
foreach(file IN LISTS files)
  cmake_path(GET file STEM name)
  attend_test(cli_${name} program
              ${PROJECT_SOURCE_DIR}/tests/cli_test.sh ${PROJECT_BINARY_DIR} ${name})
endforeach()
# the longest start first, so that no processor waits for them in the end
set_tests_properties(learn_test race_test cli_copy cli_features cli_translate PROPERTIES COST 100)

# ---- the source itself, the exported names, the examples as C and as C++ --------------------

attend_test(check_source source ${PROJECT_SOURCE_DIR}/tests/check_source)
attend_test(check_walks source ${PROJECT_SOURCE_DIR}/tests/check_walks)
attend_test(check_source_catches source ${PROJECT_SOURCE_DIR}/tests/check_source_catches)
if(NOT ATTEND_SANITIZE)
  attend_test(check_recipes unit ${PROJECT_SOURCE_DIR}/tests/check_recipes ${CMAKE_C_COMPILER}
              ${PROJECT_BINARY_DIR} ${ATTEND_REAL}) # unit: the double build runs it, too
  if(ATTEND_REAL STREQUAL float) # which links the command's objects with those of the recipes
    add_dependencies(tests-unit attend)
  endif()
  attend_test(check_symbols source
              ${PROJECT_SOURCE_DIR}/tests/check_symbols $<TARGET_FILE:attend_shared>)
  attend_test(check_install example
              ${PROJECT_SOURCE_DIR}/tests/check_install ${PROJECT_BINARY_DIR} ${CMAKE_C_COMPILER})
endif()

file(GLOB files CONFIGURE_DEPENDS examples/*.c)
foreach(file IN LISTS files)
  cmake_path(GET file STEM name)
  file(CONFIGURE OUTPUT examples/${name}.cpp CONTENT "#include \"${file}\"\n")
  add_executable(example-${name} ${file})
  add_executable(example-${name}-cxx ${PROJECT_BINARY_DIR}/examples/${name}.cpp)
  foreach(program example-${name} example-${name}-cxx)
    target_link_libraries(${program} PRIVATE attend_shared)
    set_target_properties(${program} PROPERTIES
                          RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/examples)
    attend_test(${program} example
                ${PROJECT_SOURCE_DIR}/tests/check_example ${name} $<TARGET_FILE:${program}>)
  endforeach()
endforeach()
