# braid_npz: host arrays and .npz files. No LLVM.
#
# libzip's own package file wants its command line tools too, which are another package.
find_path(BRAID_LIBZIP_INCLUDE zip.h REQUIRED)
find_library(BRAID_LIBZIP_LIBRARY zip REQUIRED)

add_library(braid_npz STATIC
  ${CMAKE_CURRENT_LIST_DIR}/HostArray.cpp
  ${CMAKE_CURRENT_LIST_DIR}/NpyHeader.cpp
  ${CMAKE_CURRENT_LIST_DIR}/Npz.cpp
  ${CMAKE_CURRENT_LIST_DIR}/NpzRead.cpp
  ${CMAKE_CURRENT_LIST_DIR}/NpzWrite.cpp
  ${CMAKE_CURRENT_LIST_DIR}/RawArray.cpp
)
target_compile_options(braid_npz PRIVATE -fno-exceptions)
target_include_directories(braid_npz SYSTEM PRIVATE ${BRAID_LIBZIP_INCLUDE})
set_target_properties(braid_npz PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_link_libraries(braid_npz PUBLIC braid_base PRIVATE fmt::fmt ${BRAID_LIBZIP_LIBRARY})
