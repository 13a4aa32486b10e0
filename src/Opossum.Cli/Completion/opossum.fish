# Completion of opossum in fish.
complete -c opossum -a '(opossum "[suggest:"(commandline -C)"]" (commandline -cp) 2> /dev/null)'
