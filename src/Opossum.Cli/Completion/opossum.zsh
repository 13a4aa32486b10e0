# Completion of opossum in zsh.
_opossum() {
    local -a found
    found=("${(@f)$(opossum "[suggest:$CURSOR]" "$BUFFER" 2> /dev/null)}")
    [[ -n $found ]] && compadd -a found
    _files
}
compdef _opossum opossum
