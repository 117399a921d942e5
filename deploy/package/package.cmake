# Debian packages: `cpack -G DEB` in the build folder. See deploy/README.md.
set(CPACK_PACKAGE_NAME surtitle)
set(CPACK_PACKAGE_VENDOR "Surtitle")
set(CPACK_PACKAGE_CONTACT "Surtitle maintainers <maintainers@example.org>")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR DEB)
# Allows the configuration in /etc with programs in /usr.
set(CPACK_SET_DESTDIR ON)
set(CPACK_INSTALL_PREFIX /usr)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENTS_ALL daemon models)
if(TARGET surtitle_cuda)
  list(APPEND CPACK_COMPONENTS_ALL cuda)
endif()

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE gzip)  # slower compression does not make weights smaller

set(debian ${CMAKE_SOURCE_DIR}/deploy/package/debian)
set(CPACK_COMPONENT_DAEMON_DESCRIPTION "simultaneous translation daemon
surtitled translates while the speaker continues: it receives words over a
WebSocket, and sends their translation a few words later. It never changes
words that it has sent. Web pages for viewers are included.

surtitle is the command line: it pipes a speech recogniser's words into the
daemon, replays logs, and measures models.")
set(CPACK_DEBIAN_DAEMON_PACKAGE_NAME surtitle)
set(CPACK_DEBIAN_DAEMON_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_DAEMON_PACKAGE_RECOMMENDS surtitle-models)
set(CPACK_DEBIAN_DAEMON_PACKAGE_CONTROL_EXTRA
  ${debian}/conffiles ${debian}/postinst ${debian}/prerm ${debian}/postrm)

set(CPACK_COMPONENT_MODELS_DESCRIPTION "models of the simultaneous translation daemon
German to English (Gaussian multi-head attention, and multi-path wait-k) and
English to German, for surtitled of the package surtitle.")
set(CPACK_DEBIAN_MODELS_PACKAGE_NAME surtitle-models)
set(CPACK_DEBIAN_MODELS_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_MODELS_PACKAGE_ENHANCES surtitle)

# cuBLAS is in NVIDIA's packages, whose names contain the version of the toolkit of the build.
set(CPACK_COMPONENT_CUDA_DESCRIPTION "models of surtitled on NVIDIA devices
The module that runs models on a device of compute capability 8.0 or later. It
needs the driver and the cuBLAS of the CUDA toolkit that it was built with.")
set(CPACK_DEBIAN_CUDA_PACKAGE_NAME surtitle-cuda)
set(CPACK_DEBIAN_CUDA_PACKAGE_DEPENDS "libc6, libstdc++6, surtitle (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")

# The files that Debian requires of every package: changelog, copyright, manual pages and overrides for lintian.
set(stage ${CMAKE_BINARY_DIR}/package)
find_program(SURTITLE_GZIP gzip)
function(surtitle_gzip file to)
  configure_file(${file} ${to}.plain COPYONLY)
  execute_process(COMMAND ${SURTITLE_GZIP} -9nc ${to}.plain OUTPUT_FILE ${to}.gz)
endfunction()
if(SURTITLE_GZIP)
  surtitle_gzip(${debian}/changelog ${stage}/changelog.Debian)
  # The programs print their options, and therefore must be built.
  install(CODE "
    set(SURTITLE_PAGES \"${debian}\")
    set(SURTITLE_STAGE \"${stage}\")
    set(SURTITLE_BUILD \"${CMAKE_BINARY_DIR}\")
    set(SURTITLE_GZIP \"${SURTITLE_GZIP}\")
    set(SURTITLE_MANDIR \"${CMAKE_INSTALL_MANDIR}/man1\")
    set(SURTITLE_DATADIR \"${CMAKE_INSTALL_DATAROOTDIR}\")" COMPONENT daemon)
  install(SCRIPT deploy/package/install_manual.cmake COMPONENT daemon)
  foreach(component daemon models cuda)
    string(TOUPPER ${component} upper)
    set(doc ${CMAKE_INSTALL_DATAROOTDIR}/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
    install(FILES ${stage}/changelog.Debian.gz ${debian}/copyright DESTINATION ${doc} COMPONENT ${component})
    set(overrides ${debian}/lintian-overrides)
    if(EXISTS ${debian}/${component}.lintian-overrides)
      set(overrides ${debian}/${component}.lintian-overrides)
    endif()
    install(FILES ${overrides} RENAME ${CPACK_DEBIAN_${upper}_PACKAGE_NAME}
      DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides COMPONENT ${component})
  endforeach()
endif()

include(CPack)
