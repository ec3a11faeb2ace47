# The Debian package that script/package makes with CPack: command, libraries, headers, manual
# pages, completions, documentation and examples.

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME attend)
set(CPACK_PACKAGE_CONTACT "the developers of attend <attend@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGE_DESCRIPTION
    "Translators, classifiers, language models and readers with attention, from
recurrent networks to the Transformer, BERT, GPT-2 and XLNet, on a CPU. This
package has the command, the library for C and C++, and the documentation.")
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
# loaded when they are needed (src/base/library.h), so dpkg-shlibdeps does not see them
string(CONCAT CPACK_DEBIAN_PACKAGE_DEPENDS
       "libarchive13, libcairo2, libglib2.0-0, libpango-1.0-0, libpangocairo-1.0-0, "
       "libpng16-16, fonts-dejavu-core")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "fonts-wqy-microhei, libsndfile1")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "gcc, pkg-config")
include(CPack)
