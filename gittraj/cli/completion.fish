# Completion of git-traj for fish: `git-traj <TAB>` and `git traj <TAB>`.
function __git_traj_suggest
    set -l typed (commandline -opc)
    set -l at (contains -i -- traj $typed; or contains -i -- git-traj $typed)
    set -l current (commandline -ct)
    set -l option (string match -r -- '^--[^=]*=' $current)
    git-traj completion --words -- $typed[(math $at + 1)..] $current 2>/dev/null | while read -l -d \t kind value help
        switch $kind
            case word
                printf '%s\t%s\n' "$option$value" "$help"
            case files
                __fish_complete_path $current
        end
    end
end
complete -c git-traj -f -a '(__git_traj_suggest)'
# fish completes git NAME by the rules for git-NAME, but 3.6.0 does not find them
complete -c git -n __fish_git_needs_command -f -a traj -d 'Why code is as it is'
complete -c git -n '__fish_git_using_command traj' -f -a '(__git_traj_suggest)'
