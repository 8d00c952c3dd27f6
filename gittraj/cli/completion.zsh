#compdef git-traj
# Completion of git-traj for zsh: `git-traj <TAB>`, and `git traj <TAB>` by zsh's completion of git.
_git-traj() {
	local kind value help files
	local -a found
	while IFS=$'\t' read -r kind value help; do
		case $kind in
		word) found+=("${value//:/\\:}${help:+:$help}") ;;
		files) files=1 ;;
		esac
	done < <(git-traj completion --words -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)
	(( $#found )) && _describe 'git traj' found
	[[ -n $files ]] && _files
	(( $#found )) || [[ -n $files ]]
}
if [[ ${funcstack[1]-} = _git-traj ]]; then
	_git-traj "$@" # this file is in fpath
else
	compdef _git-traj git-traj
	_git_traj_known=()
	zstyle -a ':completion:*:*:git:*' user-commands _git_traj_known
	zstyle ':completion:*:*:git:*' user-commands $_git_traj_known traj:'why code is as it is'
	unset _git_traj_known
fi
