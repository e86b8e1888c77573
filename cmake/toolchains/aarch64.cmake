# SPDX-License-Identifier: Apache-2.0
# Builds for aarch64 on another machine, with Debian's cross compiler, or with clang. PROF_SYSROOT is
# a folder with the unpacked arm64 packages; .ci/aarch64 makes one. Programs of the build run under
# qemu-user.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES PROF_SYSROOT PROF_CROSS_CLANG)
option(PROF_CROSS_CLANG "Compile with clang and lld, which takes half of the time" OFF)
if(PROF_CROSS_CLANG)
  set(CMAKE_C_COMPILER clang)
  set(CMAKE_CXX_COMPILER clang++)
  set(CMAKE_C_COMPILER_TARGET aarch64-linux-gnu)
  set(CMAKE_CXX_COMPILER_TARGET aarch64-linux-gnu)
  add_link_options(-fuse-ld=lld)
else()
  set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
  set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
endif()
set(PROF_SYSROOT "" CACHE PATH "Folder with the unpacked packages of the target")
if(NOT EXISTS ${PROF_SYSROOT}/usr/include)
  message(FATAL_ERROR "PROF_SYSROOT=${PROF_SYSROOT} has no usr/include: run .ci/aarch64, which "
    "makes one, or name another")
endif()
set(CMAKE_SYSROOT ${PROF_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

find_program(PROF_QEMU NAMES qemu-aarch64 qemu-aarch64-static)
if(PROF_QEMU)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${PROF_QEMU} -L ${PROF_SYSROOT})
endif()
