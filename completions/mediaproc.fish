# fish completion of mediaproc; load it with: mediaproc completion fish | source
function __mediaproc_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l found (mediaproc __complete $words[2..-1] 2>/dev/null)
    # Nothing to suggest means that a file is expected.
    if test (count $found) -gt 0
        printf '%s\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c mediaproc -f -a '(__mediaproc_complete)'
