# The files of `cmake --install` and of the packages. Each component is a package: daemon, models, cuda.

# Otherwise an installation would first build everything, tests included.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)

install(TARGETS surtitled surtitle RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT daemon)
install(TARGETS surtitle_sentencepiece LIBRARY DESTINATION ${SURTITLE_INSTALL_MODULES} COMPONENT daemon)
if(TARGET surtitle_cuda)
  install(FILES ${CMAKE_BINARY_DIR}/surtitle_cuda.so DESTINATION ${SURTITLE_INSTALL_MODULES} COMPONENT cuda)
  # CMake strips only targets of its own.
  install(CODE "
    if(CMAKE_INSTALL_DO_STRIP)
      execute_process(COMMAND \"${CMAKE_STRIP}\" --strip-unneeded
        \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${SURTITLE_INSTALL_MODULES}/surtitle_cuda.so\")
    endif()" COMPONENT cuda)
endif()

install(DIRECTORY web DESTINATION ${SURTITLE_INSTALL_SHARE} COMPONENT daemon
  PATTERN node_modules EXCLUDE
  PATTERN package*.json EXCLUDE
  PATTERN *.d.ts EXCLUDE
  PATTERN .npmrc EXCLUDE
  PATTERN README.md EXCLUDE)
# The library of the curves on /inside and in reports; `npm ci --prefix web` fetches it.
install(FILES web/node_modules/echarts/dist/echarts.esm.min.mjs web/node_modules/echarts/dist/echarts.min.js
  DESTINATION ${SURTITLE_INSTALL_SHARE}/web/node_modules/echarts/dist COMPONENT daemon OPTIONAL)
install(DIRECTORY model/pretrained DESTINATION ${SURTITLE_INSTALL_SHARE}/model COMPONENT models PATTERN unfinished EXCLUDE)

install(FILES README.md daemon/protocol/surtitle.v1.asyncapi.yaml deploy/SECURITY.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT daemon)
# README.md refers to them. The source in the container has no docs.
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT daemon OPTIONAL)

# The units and the configuration contain the prefix, which is known only at installation.
install(CODE "
  set(SURTITLE_DEPLOY \"${CMAKE_SOURCE_DIR}/deploy\")
  set(SURTITLE_STAGE \"${CMAKE_BINARY_DIR}/install\")
  set(SURTITLE_BINDIR \"${CMAKE_INSTALL_BINDIR}\")" COMPONENT daemon)
install(SCRIPT deploy/package/install_service.cmake COMPONENT daemon)
