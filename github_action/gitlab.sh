#!/usr/bin/env bash
# What the component of GitLab (templates/git-traj.yml) runs: installs what the Action needs, and starts it. Everything
# happens in a folder of its own; the job's is given git-traj.md, git-traj.env and git-traj-code-quality.json.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
RUNNER_TEMP=$(mktemp -d)
told=$CI_PROJECT_DIR/git-traj.env
leave() { # other jobs' variables are set in every outcome
	if [ ! -e "$told" ]; then printf 'GIT_TRAJ_%s\n' RESULT=failed COVERAGE=unknown UNSURE=unknown COST=unknown >"$told"; fi
	rm -rf "$RUNNER_TEMP"
}
trap leave EXIT
export RUNNER_TEMP GITHUB_STEP_SUMMARY=$CI_PROJECT_DIR/git-traj.md GITHUB_OUTPUT=$RUNNER_TEMP/installed
export INPUT_REQUIRE=${GIT_TRAJ_REQUIRE:-off} INPUT_FAIL_ON_ERROR=${GIT_TRAJ_FAIL_ON_ERROR:-false}
python=${GIT_TRAJ_PYTHON:-} GIT_TRAJ_PATH=$root # of an image that has all of it
if [ -z "$python" ]; then
	bash "$root/github_action/install.sh"
	touch "$GITHUB_OUTPUT"
	python=$(sed -n 's/^python=//p' "$GITHUB_OUTPUT") GIT_TRAJ_PATH=$(sed -n 's/^path=//p' "$GITHUB_OUTPUT")
fi
if [ -z "$python" ]; then exit 0; fi # it said why
export GIT_TRAJ_PATH GITHUB_OUTPUT=$told
cd "$RUNNER_TEMP"
status=0
"$python" -I -X utf8 "$root/github_action/start.py" || status=$?
if [ -f code-quality.json ]; then cp code-quality.json "$CI_PROJECT_DIR/git-traj-code-quality.json"; fi
exit $status
