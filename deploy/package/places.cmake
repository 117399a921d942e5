# Folders of an installation, by GNUInstallDirs, and their paths relative to the programs. Programs find their files by these
# paths, and an installation can therefore be moved as a whole.
include(GNUInstallDirs)
set(SURTITLE_INSTALL_MODULES ${CMAKE_INSTALL_LIBDIR}/surtitle)
set(SURTITLE_INSTALL_SHARE ${CMAKE_INSTALL_DATADIR}/surtitle)

function(surtitle_way_from_programs variable folder)
  if(IS_ABSOLUTE ${folder} OR IS_ABSOLUTE ${CMAKE_INSTALL_BINDIR})
    get_filename_component(way ${folder} ABSOLUTE BASE_DIR ${CMAKE_INSTALL_PREFIX})
  else()
    file(RELATIVE_PATH way /prefix/${CMAKE_INSTALL_BINDIR} /prefix/${folder})
  endif()
  set(${variable} ${way} PARENT_SCOPE)
endfunction()
surtitle_way_from_programs(SURTITLE_MODULES_FROM_PROGRAMS ${SURTITLE_INSTALL_MODULES})
surtitle_way_from_programs(SURTITLE_SHARE_FROM_PROGRAMS ${SURTITLE_INSTALL_SHARE})
