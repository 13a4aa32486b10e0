# Completion of opossum in bash.
_opossum() {
    local IFS=$'\n' word=${COMP_WORDS[COMP_CWORD]}
    COMPREPLY=($(compgen -W "$(opossum "[suggest:$COMP_POINT]" "$COMP_LINE" 2> /dev/null)" -- "$word"))
}
complete -o default -F _opossum opossum
