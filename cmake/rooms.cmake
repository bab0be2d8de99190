# Rooms, their libraries and their tests, read from src/FLOORS: the same list that the floor check uses.

# What a room needs from outside, by room. A heavy header stays in the .cc files of the room that wraps it.
set(APOGEE_EXTERNAL_base fmt::fmt simdjson::simdjson spdlog::spdlog ${DEFLATE_LIBRARY})
set(APOGEE_EXTERNAL_env Threads::Threads)
set(APOGEE_EXTERNAL_net Threads::Threads)
set(APOGEE_EXTERNAL_protocol ZLIB::ZLIB)
set(APOGEE_EXTERNAL_main CLI11::CLI11)

function(apogee_read_floors out_rooms)
  file(STRINGS ${CMAKE_SOURCE_DIR}/src/FLOORS lines REGEX "^[0-9]+ [a-z/]+:")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/FLOORS)
  set(rooms)
  foreach(line IN LISTS lines)
    string(REGEX MATCH "^[0-9]+ ([a-z/]+): ?(.*)$" _ "${line}")
    set(room ${CMAKE_MATCH_1})
    string(STRIP "${CMAKE_MATCH_2}" deps)
    separate_arguments(deps)
    list(APPEND rooms ${room})
    set(APOGEE_DEPS_${room} ${deps} PARENT_SCOPE)
  endforeach()
  set(${out_rooms} ${rooms} PARENT_SCOPE)
endfunction()

# Standard headers, parsed once instead of by every file: halves a build from nothing. The presets that CI builds use
# them; `dev` does not, so that a file that forgets an include of its own is noticed there.
function(apogee_use_precompiled target from libraries headers)
  if(APOGEE_PCH)
    if(NOT TARGET ${from})
      file(WRITE ${CMAKE_BINARY_DIR}/${from}.cc "")
      add_library(${from} OBJECT ${CMAKE_BINARY_DIR}/${from}.cc)
      target_link_libraries(${from} PRIVATE apogee_flags ${APOGEE_EXTERNAL_base} ${libraries})
      target_precompile_headers(${from} PRIVATE ${headers})
    endif()
    target_link_libraries(${target} PRIVATE ${APOGEE_EXTERNAL_base})
    target_precompile_headers(${target} REUSE_FROM ${from})
  endif()
endfunction()

set(APOGEE_PCH_HEADERS <algorithm> <array> <atomic> <chrono> <condition_variable> <cstdint> <deque> <expected>
    <functional> <map> <memory> <mutex> <optional> <set> <span> <string> <string_view> <unordered_map> <utility>
    <variant> <vector> <fmt/core.h>)
set(APOGEE_TEST_PCH_HEADERS ${APOGEE_PCH_HEADERS} <gmock/gmock.h> <gtest/gtest.h>)

macro(apogee_add_rooms)
  apogee_read_floors(APOGEE_ROOMS)
  foreach(room IN LISTS APOGEE_ROOMS)
    string(REPLACE "/" "_" name ${room})
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${room}/*.cc
         ${CMAKE_SOURCE_DIR}/src/${room}/fake/*.cc)
    list(FILTER sources EXCLUDE REGEX "(_test|/main)\\.cc$")
    set(kind PUBLIC)
    if(sources)
      add_library(mq_${name} STATIC ${sources})
    else()
      add_library(mq_${name} INTERFACE)
      set(kind INTERFACE)
    endif()
    target_link_libraries(mq_${name} ${kind} apogee_flags ${APOGEE_EXTERNAL_${name}})
    foreach(dep IN LISTS APOGEE_DEPS_${room})
      string(REPLACE "/" "_" dep_name ${dep})
      target_link_libraries(mq_${name} ${kind} mq_${dep_name})
    endforeach()
    if(sources)
      apogee_use_precompiled(mq_${name} apogee_pch "" "${APOGEE_PCH_HEADERS}")
    endif()
  endforeach()
endmacro()

# One test executable a room, so that a room builds and runs alone; tests are found by folder.
function(apogee_add_tests)
  foreach(room IN LISTS APOGEE_ROOMS)
    string(REPLACE "/" "_" name ${room})
    file(GLOB tests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${room}/*_test.cc
         ${CMAKE_SOURCE_DIR}/src/${room}/fake/*_test.cc)
    if(tests)
      add_executable(${name}_test ${tests})
      target_link_libraries(${name}_test PRIVATE mq_${name} GTest::gmock GTest::gtest_main)
      apogee_use_precompiled(${name}_test apogee_test_pch "GTest::gmock;GTest::gtest_main"
                             "${APOGEE_TEST_PCH_HEADERS}")
      gtest_discover_tests(${name}_test DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 300
                           TEST_PREFIX "${name}/")
    endif()
  endforeach()
endfunction()
