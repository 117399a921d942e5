# Runs at installation: writes the manual pages and the completions of both programs with the options that they print.
function(surtitle_output variable)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
  set(${variable} "${output}" PARENT_SCOPE)
endfunction()

set(surtitle_manual manual)
set(surtitled_manual --manual)
set(surtitle_completion completion)
set(surtitled_completion --completion)
foreach(program surtitle surtitled)
  surtitle_output(options ${SURTITLE_BUILD}/${program} ${${program}_manual})
  file(READ ${SURTITLE_PAGES}/${program}.1 page)
  string(REPLACE "@OPTIONS@\n" "${options}" page "${page}")
  file(WRITE ${SURTITLE_STAGE}/${program}.1 "${page}")
  execute_process(COMMAND ${SURTITLE_GZIP} -9nf ${SURTITLE_STAGE}/${program}.1 COMMAND_ERROR_IS_FATAL ANY)
  file(INSTALL ${SURTITLE_STAGE}/${program}.1.gz DESTINATION ${CMAKE_INSTALL_PREFIX}/${SURTITLE_MANDIR})

  surtitle_output(completion ${SURTITLE_BUILD}/${program} ${${program}_completion} bash)
  file(WRITE ${SURTITLE_STAGE}/bash/${program} "${completion}")
  file(INSTALL ${SURTITLE_STAGE}/bash/${program}
       DESTINATION ${CMAKE_INSTALL_PREFIX}/${SURTITLE_DATADIR}/bash-completion/completions)
  surtitle_output(completion ${SURTITLE_BUILD}/${program} ${${program}_completion} zsh)
  file(WRITE ${SURTITLE_STAGE}/zsh/_${program} "${completion}")
  file(INSTALL ${SURTITLE_STAGE}/zsh/_${program}
       DESTINATION ${CMAKE_INSTALL_PREFIX}/${SURTITLE_DATADIR}/zsh/vendor-completions)
endforeach()
