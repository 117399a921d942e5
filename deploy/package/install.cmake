# What `cmake --install` and the packages hold. Components are packages: daemon, models, cuda.

# The tests of a build folder would be built, too, before anything is installed.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)

install(TARGETS surtitled surtitle RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT daemon)
install(TARGETS surtitle_sentencepiece LIBRARY DESTINATION ${SURTITLE_INSTALL_MODULES} COMPONENT daemon)
if(TARGET surtitle_cuda)
  install(FILES ${CMAKE_BINARY_DIR}/surtitle_cuda.so DESTINATION ${SURTITLE_INSTALL_MODULES} COMPONENT cuda)
  # CMake strips targets of its own alone.
  install(CODE "
    if(CMAKE_INSTALL_DO_STRIP)
      execute_process(COMMAND \"${CMAKE_STRIP}\" --strip-unneeded
        \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${SURTITLE_INSTALL_MODULES}/surtitle_cuda.so\")
    endif()" COMPONENT cuda)
endif()

install(DIRECTORY web DESTINATION ${SURTITLE_INSTALL_SHARE} COMPONENT daemon
  PATTERN node_modules EXCLUDE
  PATTERN package*.json EXCLUDE
  PATTERN .npmrc EXCLUDE
  PATTERN README.md EXCLUDE)
# The curves of /inside and of reports; `npm ci --prefix web` fetches it.
install(FILES web/node_modules/echarts/dist/echarts.esm.min.mjs web/node_modules/echarts/dist/echarts.min.js
  DESTINATION ${SURTITLE_INSTALL_SHARE}/web/node_modules/echarts/dist COMPONENT daemon OPTIONAL)
install(DIRECTORY model/pretrained DESTINATION ${SURTITLE_INSTALL_SHARE}/model COMPONENT models
  PATTERN unfinished EXCLUDE)

install(FILES README.md daemon/protocol/surtitle.v1.asyncapi.yaml deploy/SECURITY.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT daemon)
# README.md points to them. The container's source has none.
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT daemon OPTIONAL)

# Units and the configuration name the prefix, which is known when it is installed.
install(CODE "
  set(SURTITLE_DEPLOY \"${CMAKE_SOURCE_DIR}/deploy\")
  set(SURTITLE_STAGE \"${CMAKE_BINARY_DIR}/install\")
  set(SURTITLE_BINDIR \"${CMAKE_INSTALL_BINDIR}\")" COMPONENT daemon)
install(SCRIPT deploy/package/install_service.cmake COMPONENT daemon)
