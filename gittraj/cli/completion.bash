# Completion of git-traj for bash: `git-traj <TAB>`, and `git traj <TAB>` by git's own completion.
_git_traj() {
	local kind value help current file at=${__git_cmd_idx-}
	local -a typed
	if [ -n "$at" ]; then # git's completion knows the position of its command
		typed=("${words[@]:at+1:cword-at}")
	else
		at=0
		while [ "$at" -lt "$COMP_CWORD" ]; do
			case ${COMP_WORDS[at]##*/} in traj | git-traj) break ;; esac
			at=$((at + 1))
		done
		typed=("${COMP_WORDS[@]:at+1:COMP_CWORD-at}")
	fi
	current=
	[ "${#typed[@]}" -eq 0 ] || current=${typed[${#typed[@]} - 1]}
	current=${current##*=}
	COMPREPLY=()
	while IFS=$'\t' read -r kind value help; do
		case $kind in
		word) COMPREPLY+=("$value ") ;;
		files)
			while IFS= read -r file; do
				if [ -d "$file" ]; then file=$(printf %q/ "$file"); else file="$(printf %q "$file") "; fi
				COMPREPLY+=("$file")
			done < <(compgen -f -- "$current")
			;;
		esac
	done < <(git-traj completion --words -- "${typed[@]}" 2>/dev/null)
}
complete -o nospace -F _git_traj git-traj
