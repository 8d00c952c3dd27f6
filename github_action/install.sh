#!/usr/bin/env bash
# Finds a Python that can run the Action and installs its dependencies, by hash, into the runner's temporary folder.
# Prints nothing from the pull request; the only output is one line on failure.
# It runs in that folder, with Python in isolated mode: no file of the workspace is used.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$RUNNER_TEMP"
target=$(mktemp -d "$RUNNER_TEMP/git-traj-XXXXXX")
separator=:

case "${INPUT_FAIL_ON_ERROR:-false},${INPUT_REQUIRE:-off}" in # as in settings.py: a gate fails closed
[Ff][Aa][Ll][Ss][Ee],[Oo][Ff][Ff] | [Ff][Aa][Ll][Ss][Ee],[Ww][Aa][Rr][Nn]) level=warning status=0 ;;
*) level=error status=1 ;;
esac

fail() {
	echo "::$level title=git-traj::$1"
	exit $status
}

fits() { "$1" -I -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }

find_python() {
	local candidate
	for name in python3 python python3.14 python3.13 python3.12 python3.11; do
		if candidate=$(command -v "$name") && fits "$candidate"; then echo "$candidate" && return; fi
	done
	# setup-python's cache: Python/<version>/<architecture>/bin/python, on Windows python.exe without bin
	for candidate in "${RUNNER_TOOL_CACHE:-/opt/hostedtoolcache}"/Python/3.*/*/{bin/python3,python.exe}; do
		if [ -x "$candidate" ] && fits "$candidate"; then echo "$candidate" && return; fi
	done
	return 1
}

python=$(find_python) || fail "no Python 3.11 or later is on PATH or in RUNNER_TOOL_CACHE: add actions/setup-python before this step"
if command -v cygpath >/dev/null; then # Git Bash on Windows: Python there understands neither /d/a nor a:b
	target=$(cygpath -m "$target") root=$(cygpath -m "$root") separator=';'
fi

lock=(--requirement "$root/github_action/requirements.txt" --require-hashes --no-deps --only-binary ':all:')
unreached="the Action's packages cannot be installed: the package index did not answer"
if command -v uv >/dev/null; then
	uv pip install --quiet --python "$python" --target "$target" "${lock[@]}" || fail "$unreached"
else
	if ! "$python" -I -m pip --version >/dev/null 2>&1; then
		"$python" -I -m ensurepip --user >/dev/null 2>&1 || fail "that Python has no pip: add actions/setup-python before this step"
	fi
	"$python" -I -m pip install --quiet --disable-pip-version-check --no-input --target "$target" "${lock[@]}" || fail "$unreached"
fi
printf 'python=%s\npath=%s\n' "$python" "$root$separator$target" >>"$GITHUB_OUTPUT"
