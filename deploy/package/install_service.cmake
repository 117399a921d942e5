# Runs at installation: installs the units and the configuration with the prefix. Programs in /usr are configured in /etc.
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  set(SURTITLE_ETC /etc/surtitle)
else()
  set(SURTITLE_ETC ${CMAKE_INSTALL_PREFIX}/etc/surtitle)
endif()
set(SURTITLE_PROGRAMS ${CMAKE_INSTALL_PREFIX}/${SURTITLE_BINDIR})

configure_file(${SURTITLE_DEPLOY}/systemd/surtitled.service.in ${SURTITLE_STAGE}/surtitled.service @ONLY)
file(INSTALL ${SURTITLE_STAGE}/surtitled.service ${SURTITLE_DEPLOY}/systemd/surtitled.socket
     DESTINATION ${CMAKE_INSTALL_PREFIX}/lib/systemd/system)
file(INSTALL ${SURTITLE_DEPLOY}/systemd/surtitled.yaml DESTINATION ${SURTITLE_ETC})
