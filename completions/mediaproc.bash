# bash completion of mediaproc; load it with: source <(mediaproc completion bash)
_mediaproc() {
  local word=${COMP_WORDS[COMP_CWORD]}
  local IFS=$'\n'
  COMPREPLY=($(mediaproc __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
  # Nothing to suggest means that a file is expected.
  if ((${#COMPREPLY[@]} == 0)); then
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}
complete -F _mediaproc mediaproc
