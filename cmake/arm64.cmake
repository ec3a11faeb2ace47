# Builds for arm64 on another machine; the programs run under qemu-user.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64)
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/aarch64-linux-gnu/pkgconfig)

# Random123 is headers alone: those of this machine serve, without the rest of /usr/include
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/include)
file(CREATE_LINK /usr/include/Random123 ${CMAKE_BINARY_DIR}/include/Random123 SYMBOLIC)
set(RANDOM123_INCLUDE_DIR ${CMAKE_BINARY_DIR}/include CACHE PATH "where Random123/philox.h is")
