# Completion of opossum in fish.
complete -c opossum -a '(set -l line (commandline -cp); opossum "[suggest:"(string length -- "$line")"]" "$line" 2> /dev/null)'
