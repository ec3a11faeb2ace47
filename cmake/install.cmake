# Header, both libraries, attend.pc, the CMake package, man pages and shell completions.

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/attend)
# attend.pc finds its prefix from its own place, so that an installation can be moved; a folder that
# is given from the root on cannot
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(pc_prefix ${CMAKE_INSTALL_PREFIX})
else()
  string(REGEX REPLACE "[^/]+" ".." to_prefix ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  set(pc_prefix "\${pcfiledir}/${to_prefix}")
endif()
foreach(dir LIBDIR INCLUDEDIR)
  cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_${dir} BASE_DIRECTORY "\${prefix}"
             OUTPUT_VARIABLE pc_${dir})
endforeach()
list(REMOVE_DUPLICATES libs_static)
list(JOIN libs_static " " libs_static)
configure_file(cmake/attend.pc.in attend.pc @ONLY)
configure_package_config_file(cmake/attendConfig.cmake.in attendConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(attendConfigVersion.cmake COMPATIBILITY SameMinorVersion)

install(FILES include/attend.h include/attend_data.h include/attend_pooling.h TYPE INCLUDE)
install(FILES LICENSE README.md CHANGELOG.md TYPE DOC)
install(DIRECTORY docs examples TYPE DOC PATTERN man EXCLUDE)
install(TARGETS attend_shared EXPORT shared)
install(TARGETS attend_static EXPORT static)
install(EXPORT shared NAMESPACE attend:: FILE attendTargets.cmake DESTINATION ${package_dir})
install(EXPORT static NAMESPACE attend:: FILE attendStaticTargets.cmake DESTINATION ${package_dir})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/attendConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/attendConfigVersion.cmake DESTINATION ${package_dir})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/attend.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

file(GLOB manuals CONFIGURE_DEPENDS docs/man/*.1)
install(FILES ${manuals} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)

if(TARGET attend AND NOT ATTEND_SANITIZE AND NOT CMAKE_CROSSCOMPILING)
  set(place_bash bash-completion/completions/attend)
  set(place_zsh zsh/site-functions/_attend)
  set(place_fish fish/vendor_completions.d/attend.fish)
  foreach(shell bash zsh fish)
    set(file ${CMAKE_CURRENT_BINARY_DIR}/completion/attend.${shell})
    add_custom_command(OUTPUT ${file} COMMAND attend completion ${shell} > ${file} DEPENDS attend)
    list(APPEND completions ${file})
    cmake_path(GET place_${shell} PARENT_PATH folder)
    cmake_path(GET place_${shell} FILENAME name)
    install(FILES ${file} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder} RENAME ${name})
  endforeach()
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/completion)
  add_custom_target(completion ALL DEPENDS ${completions})
endif()
