# For those who type make. The build itself is CMakeLists.txt with the presets beside it.
.PHONY: all test check install clean

all:
	@cmake --preset release
	@cmake --build --preset release

test:
	@script/test

check:
	@script/test --all

install: all
	@cmake --install build/release

clean:
	@rm -rf build
