#!/usr/bin/env bash
# Run by the GitLab component (templates/git-traj.yml): installs the Action's dependencies and starts it, in a temporary
# folder. The job's own folder receives only git-traj.md, git-traj.env and git-traj-code-quality.json.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
RUNNER_TEMP=$(mktemp -d)
outputs=$CI_PROJECT_DIR/git-traj.env
leave() { # other jobs' variables are set in every outcome
	if [ ! -e "$outputs" ]; then printf 'GIT_TRAJ_%s\n' RESULT=failed COVERAGE=unknown UNSURE=unknown COST=unknown >"$outputs"; fi
	rm -rf "$RUNNER_TEMP"
}
trap leave EXIT
export RUNNER_TEMP GITHUB_STEP_SUMMARY=$CI_PROJECT_DIR/git-traj.md GITHUB_OUTPUT=$RUNNER_TEMP/installed
export INPUT_REQUIRE=${GIT_TRAJ_REQUIRE:-off} INPUT_FAIL_ON_ERROR=${GIT_TRAJ_FAIL_ON_ERROR:-false}
python=${GIT_TRAJ_PYTHON:-} GIT_TRAJ_PATH=$root # set in an image that has all dependencies
if [ -z "$python" ]; then
	bash "$root/github_action/install.sh"
	touch "$GITHUB_OUTPUT"
	python=$(sed -n 's/^python=//p' "$GITHUB_OUTPUT") GIT_TRAJ_PATH=$(sed -n 's/^path=//p' "$GITHUB_OUTPUT")
fi
if [ -z "$python" ]; then exit 0; fi # install.sh has printed why
export GIT_TRAJ_PATH GITHUB_OUTPUT=$outputs
cd "$RUNNER_TEMP"
status=0
"$python" -I -X utf8 "$root/github_action/start.py" || status=$?
if [ -f code-quality.json ]; then cp code-quality.json "$CI_PROJECT_DIR/git-traj-code-quality.json"; fi
exit $status
