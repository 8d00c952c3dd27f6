"""Test and lint runs of a shell call and their outcome, by command, output and exit status."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gittraj.events.runs.reader import read_call
from gittraj.events.runs.runners import all_runners, find_runner

Row = tuple[str, str, int | None, str]
"""Command, output, exit status, expected outcome."""

OWN_STATUS: list[Row] = [  # the exit status, or a status that the line prints, is that of the run
    ("pytest -q > log 2>&1", "", 0, "passed"),
    ("pytest -q > log 2>&1", "", 1, "failed"),
    ("pytest -q > log 2>&1", "", 5, "none"),
    ("cd api && pytest -q >/dev/null", "", 1, "failed"),
    ("timeout 10 npm test >/dev/null", "", 124, "error"),
    ("set -o pipefail; npm test | tail -1 >/dev/null", "", 1, "failed"),
    ("set -e\npytest -q > log\necho reached", "reached\n", 0, "passed"),
    ("bash -lc 'cd x && pytest -q >/dev/null'", "", 0, "passed"),
    ("! pytest -q >/dev/null", "", 0, "failed"),
    ("pytest -q > log & wait $!", "", 1, "failed"),
    ("pytest -q >/dev/null && echo OK || echo BAD", "OK\n", 0, "passed"),
    ("pytest -q >/dev/null && echo OK || echo BAD", "BAD\n", 0, "failed"),
    ("pytest -q >/dev/null || echo 'tests failed'", "", 0, "passed"),
    ("if npm test >/dev/null; then echo green; else echo red; fi", "red\n", 0, "failed"),
    ("pytest >/dev/null 2>&1; echo exit: $?", "exit: 2\n", 0, "error"),
    ("pytest >/dev/null; rc=$?; tail -1 log; exit $rc", "x\n", 0, "passed"),
    ("pytest 2>&1 | tail -1 >/dev/null; echo ${PIPESTATUS[0]}", "0\n", 0, "passed"),
    ("npm test > log 2>&1; [ $? -eq 0 ] && echo PASS || echo FAIL", "FAIL\n", 0, "failed"),
    ("pytest -q >/dev/null || node --test >/dev/null", "", 1, "failed"),
    ("setsid pytest -q > log", "", 0, "passed"),
    ("script -qec 'make test' /dev/null > log", "", 0, "passed"),
    ("python -c 'import pytest, sys; sys.exit(pytest.main())' > log", "", 0, "passed"),
    ("tox -- -n 4 > log", "", 0, "passed"),
    ("ssh box pytest -q > log", "", 1, "failed"),
]
HIDDEN_STATUS: list[Row] = [  # the exit status is not that of the run, or may not be
    ("pytest -q 2>&1 | tail -3", "some\nlines\nonly\n", 0, "unknown"),
    ("pytest -q >/dev/null || true", "", 0, "unknown"),
    ("pytest -q >/dev/null; git add -A", "", 0, "unknown"),
    ("pytest -q >/dev/null && git commit -qm x", "", 1, "unknown"),
    ("npm test &", "", 0, "unknown"),
    ("pytest > log & wait", "", 0, "unknown"),
    ("out=$(npm test 2>&1); echo done", "done\n", 0, "unknown"),
    ("for d in a b; do (cd $d && npm test >/dev/null); done", "", 0, "unknown"),
    ("if pytest -q >/dev/null; then git commit -qam x; fi", "", 0, "unknown"),
    ("pytest -q >/dev/null; npx jest", "Tests:  2 passed, 2 total\n", 0, "unknown"),
    ("npm test", "", None, "unknown"),
    ("npx mocha | grep passing", "  3 passing (10ms)\n", 0, "unknown"),
    ("npx playwright test | tail -2", "  1 skipped\n  3 passed (2s)\n", 0, "unknown"),
    ("cargo test | head -4", "1\n2\n3\ntest result: ok. 3 passed; 0 failed;\n", 0, "unknown"),
    ("go test ./... | tail -2", "ok  \ta/b\t0.01s\nok  \ta/c\t0.02s\n", 0, "unknown"),
    ("pytest -q 'unclosed", "", 0, "unknown"),
    ("make -i test", "make: [Makefile:3: test] Error 1 (ignored)\n", 0, "unknown"),
    ("make -q test", "", 0, "unknown"),
    ("npm test --if-present", "", 0, "unknown"),
    ("npx playwright test --pass-with-no-tests", "", 0, "unknown"),
    ("mvn -q test -Dmaven.test.failure.ignore=true", "", 0, "unknown"),
    ("mvn test -fn | tail -2", "[INFO] BUILD SUCCESS\n[INFO] Total time: 2 s\n", 0, "unknown"),
    ("ssh -f box pytest", "", 0, "unknown"),
    ("trap 'exit 0' ERR; pytest -q", "", 0, "unknown"),
    ("trap 'rm -rf \"$tmp\"; exit 0' EXIT; pytest -q > log", "", 0, "unknown"),
    (
        "pytest -q a; pytest -q b",
        "ImportError while loading conftest 'a/c.py'.\n5 passed in 2s\n",
        0,
        "unknown",
    ),
    ("make test", "pytest -q\nmake: [Makefile:2: test] Error 1 (ignored)\n", 0, "unknown"),
    ("make --touch test", "touch test\n", 0, "unknown"),
    ("timeout 9 make -i test > log", "", 0, "unknown"),
    ("npm test", "> a@1 test\n> mocha || true\n\nError: Cannot find module 'x'\n", 0, "unknown"),
    ("npm test", "> a@1 test\n> mocha; exit 0\n\nboom\n", 0, "unknown"),
    ("mvn -fn test", "[INFO] BUILD SUCCESS\n[INFO] Total time: 2 s\n", 0, "unknown"),
    ("script -qc 'make test' /dev/null > log", "", 0, "unknown"),
    ("setsid -f pytest > log", "", 0, "unknown"),
    ("python test_a.py", "", 0, "unknown"),
    ("git mv a b && pytest > log && git commit -qm x", "fatal: bad source\n", 128, "unknown"),
    ("python -c \"import pytest; pytest.main(['-q'])\" > log", "", 0, "unknown"),
    ("python - > log <<'E'\nimport pytest\npytest.main(['-q'])\nE", "", 0, "unknown"),
    ("ls *.py | entr pytest -q", "", 0, "unknown"),
    ("docker run -d app:ci pytest -q", "4f1c2a9b\n", 0, "unknown"),
    ("tmux new-session -d 'pytest -q tests/slow'", "", 0, "unknown"),
    ("ssh build@ci 'make test > log 2>&1 &'", "", 0, "unknown"),
    ("ls tests/*.py | xargs -n1 pytest -q | tail -1", "3 passed in 0.1s\n", 0, "unknown"),
    ("for d in a b; do (cd $d && npm test); done | tail -1", "Tests:  2 passed, 2 total\n", 0, "unknown"),
]
IN_VIEW: list[Row] = [  # the output shows the outcome
    ("pytest 2>&1 | tail -1", "=== 3 passed, 1 skipped in 0.1s ===\n", 0, "passed"),
    ("flock /tmp/lock pytest -q", "3 passed in 0.1s\n", 0, "passed"),
    ("uv run pytest -q || pytest -q a", "bash: uv: command not found\n3 passed in 0.5s\n", 0, "passed"),
    ("pytest -q || pytest -q --lf", "1 failed in 0.5s\n1 passed in 0.5s\n", 0, "failed"),
    ("for i in 1 2; do pytest -q && break; done", "1 failed in 1s\n1 passed in 1s\n", 0, "passed"),
    ("until pytest -q a; do sleep 1; done; ls", "1 failed in 1s\n1 passed in 1s\n", 0, "passed"),
    ("while ! pytest -q a\ndo sleep 1; done", "1 failed in 1s\n1 passed in 1s\n", 0, "passed"),
    ("until pytest -q a; do sleep 1; done", "1 failed in 1s\n1 failed in 1s\n", 143, "failed"),
    (
        "until nc h; do ls; done; for i in a b; do pytest $i; done",
        "1 failed in 1s\n1 passed in 1s\n",
        0,
        "failed",
    ),
    ("for d in a b; do (cd $d && pytest -q); done", "1 failed in 1s\n1 passed in 1s\n", 0, "failed"),
    ("for d in a b; do pytest $d && break; done", "1 failed in 1s\n1 passed in 1s\n", 0, "failed"),
    ("for d in a b; do pytest $d; [ -f x ] && break; done", "1 failed in 1s\n1 passed in 1s\n", 0, "failed"),
    ("bundle exec rake ci", "3 runs, 3 assertions, 0 failures, 0 errors, 0 skips\n", 0, "passed"),
    ("git mv a b && pytest -q && git commit", "3 passed in 0.1s\nfatal: no name\n", 128, "passed"),
    ("strace -f -o /tmp/t pytest -q; echo rc=$?", "1 failed in 0.1s\nrc=1\n", 0, "failed"),
    ("script -qc 'pytest -q' /dev/null", "1 failed in 0.1s\n", 1, "failed"),
    ("nix develop -c pytest -q", "1 failed in 0.1s\n", 1, "failed"),
    ("git bisect run pytest -q", "1 failed in 0.1s\nabc is the first bad commit\n", 0, "failed"),
    ("cargo watch -x test", "test result: FAILED. 1 passed; 1 failed; 0 ignored;\n", 130, "failed"),
    ("ptw --runner 'pytest -q'", "3 passed in 0.1s\n", 130, "error"),
    ("script -qc 'make test' /dev/null", "make: *** [Makefile:2: test] Error 1\n", 0, "failed"),
    ("ssh box 'make test'", "Connection reset by 10.0.0.1 port 22\n", 255, "error"),
    ("make check", "no\n", 0, "unknown"),
    ("make check", "", 0, "unknown"),
    ("make check", "cc -o app main.c\n./app\nall 3 checks ok\n", 0, "passed"),
    ("make check >/dev/null && echo yes || echo no", "yes\n", 0, "passed"),
    ("make test", "make: Nothing to be done for 'test'.\n", 0, "none"),
    ("make test", "make: 'test' is up to date.\n", 0, "none"),
    ("nox", "nox > Session tests-3.9 skipped: Python interpreter 3.9 not found.\n", 0, "none"),
    ("nox", "nox > Session a was successful.\nnox > Session b skipped: no python.\n", 0, "passed"),
    ("./gradlew test", "> Task :test NO-SOURCE\n\nBUILD SUCCESSFUL in 1s\n", 0, "none"),
    ("./gradlew test", "> Task :a:test NO-SOURCE\n> Task :b:test\n\nBUILD SUCCESSFUL in 1s\n", 0, "passed"),
    ("nx affected -t test", " NX   No tasks were run\n", 0, "none"),
    ("nx run-many -t test", " NX   No projects with target test were run\n", 0, "none"),
    ("turbo run test", " Tasks:    0 successful, 0 total\nCached:    0 cached, 0 total\n", 0, "none"),
    ("mvn -fn test", "Tests run: 4, Failures: 0, Errors: 0, Skipped: 1\nBUILD SUCCESS\n", 0, "passed"),
    ("ssh box pytest", "ssh: connect to host box port 22: Connection refused\n", 255, "error"),
    ("bazel test //a", "ERROR: Skipping '//a': no such package 'a'\n", 1, "error"),
    ("go test ./a/...", 'go: warning: "./a/..." matched no packages\nno packages to test\n', 0, "none"),
    ("npm test", "> a@1 test\n> echo\n\nError: no test specified\n", 0, "none"),
    ("PYTEST_ADDOPTS=--co pytest -q", "a.py::x\n\n1 test collected in 0.01s\n", 0, "none"),
    ("meson test -C b", "Ok:    10\nFail:   0\nSkipped: 1\nTimeout: 0\n", 0, "passed"),
    ("pytest -q | tail -1", "1 failed, 2 passed in 0.1s\n", 0, "failed"),
    ("pytest -q; true", "1 failed, 2 passed in 0.1s\n", 0, "failed"),
    ("pytest -q > log; cat log", "1 failed, 2 passed in 0.1s\n", 0, "failed"),
    ("pytest -q 2>&1 | tee log", "1 error in 0.2s\n", 0, "error"),
    ("pytest -k zzz", "=== 3 deselected in 0.01s ===\n", 5, "none"),
    ("pytest -q | head -2", ".F\nx\n", 0, "failed"),
    ("npm test 2>&1 | tail -9", "  2 passing (5ms)\n  1 failing\n", 0, "failed"),
    ("make test", "Ran 3 tests in 0.1s\n\nOK\n", 0, "passed"),
    ("cargo build | tail -1 && cargo test | tail -1", "error: could not compile `a`\n" * 2, 0, "error"),
    ("go test ./...", "FAIL\ta/b [build failed]\nFAIL\n", 1, "error"),
    ("pytest -s", "FAILED to connect, going on\n2 passed in 0.1s\n", 0, "passed"),
    ("yarn jest --ci", "Tests:       2 passed, 2 total\n", 0, "passed"),
    ("./run-tests.sh", "starting a server\n==== 4 passed in 2.0s ====\nstopped\n", 0, "passed"),
    ("gradle test", "> Task :compileTestJava FAILED\n> Compilation failed; see\nBUILD FAILED", 1, "error"),
    ("gradle check", "A > b FAILED\nThere were failing tests.\nBUILD FAILED in 2s", 1, "failed"),
    ("gradle test --tests X", "> No tests found for given includes: [X]\n", None, "none"),
    ("npm test", "● Validation Error:\n\n  Module x in the transform option was not found.\n", 1, "error"),
    (
        "tox -e py27",
        "py27: skipped because could not find python interpreter\nevaluation failed :(",
        255,
        "error",
    ),
    ("sbt 'testOnly a.B'", "[info] Tests: succeeded 2, failed 0, canceled 0\n", 0, "passed"),
    ("mix test --only x", "3 tests, 0 failures, 3 excluded\n", 1, "none"),
    ("bash <<'E'\ncd app\npytest -q\nE", "2 passed in 0.1s\n", 0, "passed"),
    ("python - <<'E'\nimport pytest\npytest.main(['-q'])\nE", "1 failed in 0.1s\n", 0, "failed"),
    ("python3 -X dev -W error -m pytest -q", "2 passed in 0.1s\n", 0, "passed"),
    ("ssh -p 22 me@ci 'cd app && pytest -q'", "1 failed, 2 passed in 1s\n", 1, "failed"),
    ("docker exec web sh -c 'pytest -q | tail -1'", "2 passed in 0.1s\n", 0, "passed"),
    ("kubectl exec -n ci deploy/run -- pytest -q", "2 passed in 0.1s\n", 0, "passed"),
    ("docker compose up --exit-code-from web web", "web-1  | === 1 failed in 1s ===\n", 1, "failed"),
    ("bun test -t nothing", 'error: regex "nothing" matched 0 tests. Searched 3 files\n', 1, "none"),
    (
        'for d in a b; do (cd $d && npm t) || echo "no $d"; done',
        "Tests:  5 passed, 5 total\nno b\n",
        0,
        "failed",
    ),
    ("parallel pytest -q ::: a b", "3 passed in 0.1s\n1 failed in 0.1s\n", 1, "failed"),
    ("npm test -- --passWithNoTests", "No tests found, exiting with code 0\n", 0, "none"),
    (
        "npx turbo test | tail -2",
        " Tasks:    2 successful, 2 total\nCached:    2 cached, 2 total\n",
        0,
        "passed",
    ),
    ("pnpm -r test | tail -1", " ERR_PNPM_RECURSIVE_RUN_FIRST_FAIL  b@1.0.0 test: `jest`\n", 0, "failed"),
    ("lerna run test | tail -1", "lerna ERR! npm run test exited 1 in 'b'\n", 0, "failed"),
    ("nx run-many -t test", " NX   Successfully ran target test for 3 projects\n", 0, "passed"),
    ("pixi run test | tail -1", "1 failed, 2 passed in 0.1s\n", 0, "failed"),
    ("yarn workspaces foreach run test", "[a]: Tests:       5 passed, 5 total\n", None, "passed"),
    ("just test | cat", "pytest -q\n4 passed in 0.1s\n", 0, "passed"),
    ("hatch run test:cov -q", "", 1, "failed"),
    ("mise run test -- ./redact/...", "[test] ERROR task failed\nFAIL\n", 1, "failed"),
    ("docker compose run --rm web pytest -q", "\x1b[32m2 passed\x1b[0m in 0.1s\n", 0, "passed"),
]
NOT_STARTED: list[Row] = [
    ("python -m pytest 2>&1 | tail -5", "/usr/bin/python: No module named pytest\n", 0, "error"),
    ("pytest -q", "bash: line 1: pytest: command not found\n", 127, "error"),
    ("cd nope && pytest", "bash: line 1: cd: nope: No such file or directory\n", 1, "error"),
    ("cd nope && pytest; true", "/bin/bash: line 1: cd: nope: No such file or directory\n", 0, "error"),
    ("git mv a b && pytest -q && git commit -qm x", "fatal: bad source, source=a\n", 128, "error"),
    (
        "mvn -q test",
        "[ERROR] The goal requires a project but there is no POM in this directory\n",
        1,
        "error",
    ),
    (
        "uv run pytest || pytest",
        "bash: uv: command not found\nbash: pytest: command not found\n",
        127,
        "error",
    ),
    ("npm run test:e2e", 'npm error Missing script: "test:e2e"\n', 1, "error"),
    ("(pytest -q))", "bash: -c: line 1: syntax error near unexpected token `)'\n", 2, "error"),
    ("test -d nope && pytest -q", "", 1, "error"),
    ("docker compose exec web pytest -q", 'service "web" is not running\n', 1, "error"),
    ("sudo -u app pytest -q", "sudo: unknown user app\n", 1, "error"),
    ("pytest tests/none_*.py", "zsh: no matches found: tests/none_*.py\n", 1, "error"),
]


@pytest.mark.parametrize(
    ("command", "output", "exit_code", "outcome"), [*OWN_STATUS, *HIDDEN_STATUS, *IN_VIEW, *NOT_STARTED]
)
def test_the_outcome_of_a_test_run_is_read(
    command: str, output: str, exit_code: int | None, outcome: str
) -> None:
    result = read_call(command, output, exit_code)
    assert result is not None
    assert (result.kind, result.outcome) == ("test", outcome)


@pytest.mark.parametrize("row", NOT_STARTED)
def test_a_runner_that_did_not_start_did_not_run(row: Row) -> None:
    result = read_call(*row[:3])
    assert result is not None
    assert not result.ran


@pytest.mark.parametrize(
    "command",
    [
        "cat tests/test_a.py",
        "grep -rn pytest .",
        "git commit -m 'pytest -q: 3 passed'",
        "echo pytest -q",
        "echo 'npm test' >> notes",
        "pip install pytest",
        "pytest --version",
        "pytest --collect-only -q",
        "make -n test",
        "make -sn test",
        "make -kn",
        "python -m unittest -h",
        "pytest --collectonly -q",
        "pytest --setup-only -q",
        "deno test --no-run",
        "cargo nextest run --no-run",
        "go vet -n ./...",
        "go test -list=. ./...",
        "dotnet vstest --ListTests a.dll",
        "mvn -v test",
        "./gradlew test -x test",
        "./gradlew test --continue -x :app:test",
        "bazel test //... --nobuild",
        "bazel test //... --norun_tests",
        "nox --install-only -s tests",
        "nox --list-sessions",
        "tox exec -e py -- python -V",
        "hatch test --show",
        "rails credentials:show",
        "bin/rails db:migrate",
        "rake assets:precompile",
        "rake -P test",
        "rake -n test",
        "rspec --init",
        "phpunit --list-groups",
        "mix test.watch",
        "swift test list",
        "xcodebuild -showsdks test",
        "npx eslint --init",
        "npx eslint -v",
        "tsc --showConfig",
        "tsc --build --clean",
        "ruff format .",
        "ruff rule E501",
        "ktlint installGitPreCommitHook",
        "rubocop -L",
        "semgrep login",
        "shellcheck -V",
        "npm test -- --listTests",
        "npx nx test app --graph",
        "prove -D t",
        "sbt Test/compile",
        "hugo server",
        "ninja -t targets test",
        "command -v jest",
        "ctest -N",
        "ls tests && rm -rf .pytest_cache",
        "cat <<'E' > run.sh\npytest -q\nE",
        "python -c 'import pytest'",
        "python -c 'open(\"tests/test_a.py\").read()'",
        "python - <<'E'\n# pytest.main() is for later\nE",
        "bash -n tests/run.sh",
        "cat > run.sh <<'E'\ntrap 'exit 1' INT\nnpm test\nE\nls",
        "tox --notest",
        "tox run -n -e py",
        "turbo run test --dry=json",
        "",
    ],
)
def test_a_command_that_only_looks_like_a_run_is_not_one(command: str) -> None:
    assert read_call(command, "3 passed in 0.1s\n", 0) is None


def test_zero_errors_are_a_linters_pass_but_warnings_alone_are_unknown() -> None:
    clean = read_call("golangci-lint run | tail -1", "0 issues.\n", 0)
    warned = read_call("npx eslint --max-warnings 0 | tail -2", "✖ 3 problems (0 errors, 3 warnings)\n", 0)
    assert clean is not None
    assert warned is not None
    assert (clean.outcome, warned.outcome) == ("passed", "unknown")


@pytest.mark.parametrize(
    ("command", "output", "outcome"),
    [
        ("git diff --name-only | xargs -r ruff check", "", "unknown"),
        ("git diff --name-only | xargs --no-run-if-empty ruff check", "", "unknown"),
        ("git diff --name-only | xargs -r ruff check", "All checks passed!\n", "passed"),
        ("flake8 --exit-zero", "a.py:1:1: F401 'os' imported but unused\n", "failed"),
        ("pylint --exit-zero a", "a.py:1:0: C0114: Missing module docstring\n", "failed"),
        ("flake8 --exit-zero > log", "", "unknown"),
        ("for f in a b; do flake8 $f; done", "", "unknown"),
        ("pre-commit run", "a.....(no files to check)Skipped\nb....(no files to check)Skipped\n", "none"),
        ("pre-commit run", "a.....Passed\nb....(no files to check)Skipped\n", "passed"),
        ("gofmt -l .", "main.go\n", "failed"),
        ("gofmt -l .", "", "passed"),
        ("cppcheck src", "src/a.c:3:5: error: Null pointer dereference: p [nullPointer]\n", "failed"),
        ("cppcheck src", "Checking src/a.c ...\n", "passed"),
        ("clang-tidy a.c", "a.c:3:5: warning: x [y]\n", "unknown"),
        ("semgrep scan", "Ran 1 rule on 3 files: 0 findings.\n", "passed"),
        ("golangci-lint run --issues-exit-code=0", "a.go:3:1: unused variable (unused)\n", "failed"),
        ("golangci-lint run --issues-exit-code 0", "", "unknown"),
        ("rubocop --fail-level fatal", "3 files inspected, 2 offenses detected\n", "failed"),
        ("ruff check -e .", "", "unknown"),
        ("ruff check --watch .", "", "unknown"),
        ("mix credo --mute-exit-status", "", "unknown"),
        ("tsc -w --noEmit", "", "unknown"),
        ("npm run build", "> a@1 build\n> tsc || true\n\n", "unknown"),
        ("npm run build", "> tsc || true\n\na.ts(1,2): error TS2322: no\n", "failed"),
        ("./gradlew check -x test", "BUILD SUCCESSFUL in 1s\n", "passed"),
    ],
)
def test_an_exit_status_of_0_does_not_prove_that_a_check_passed(
    command: str, output: str, outcome: str
) -> None:
    result = read_call(command, output, 0)
    assert result is not None
    assert result.kind != "test"
    assert result.outcome == outcome


@pytest.mark.parametrize(
    ("command", "output", "code", "outcome", "counted"),
    [
        ("pytest -q a; cat old.log", "1 passed in 0.1s\n30 passed in 0.1s\n", 0, "passed", False),
        ("pytest -q a; cat old.log", "1 passed in 0.1s\n1 failed in 0.1s\n", 0, "unknown", False),
        ("cat old.log; pytest -q a", "1 failed in 0.1s\n1 passed in 0.1s\n", 0, "passed", False),
        ("pytest -q a; pytest -q b", "1 passed in 0.1s\n30 passed in 0.1s\n", 0, "passed", True),
        ("pytest -q --suppress-no-test-exit-code", "", 0, "unknown", False),
        ("npm test", "> a@1 test\n> exit 0\n", 0, "unknown", False),
        ("make test", "pytest -q || echo failed\nfailed\n", 0, "unknown", False),
        ("tox", "  py311: SKIP (0.01 seconds)\n  congratulations :) (0.05 seconds)\n", 0, "none", False),
    ],
)
def test_a_summary_or_status_that_may_be_another_commands_is_not_counted(
    command: str, output: str, code: int, outcome: str, counted: bool
) -> None:
    result = read_call(command, output, code)
    assert result is not None
    assert (result.outcome, result.counts is not None) == (outcome, counted)


def test_errors_that_a_linter_fixed_do_not_count() -> None:
    result = read_call("ruff check --fix .", "Found 2 errors (2 fixed, 0 remaining).\n", 0)
    assert result is not None
    assert result.counts is not None
    assert (result.outcome, result.counts.errors) == ("passed", 0)


def test_several_runs_in_one_call_are_added_up() -> None:
    both = read_call("pytest -q; npm test", "1 failed, 2 passed in 1s\n# tests 3\n# pass 3\n# fail 0\n", 0)
    assert both is not None
    assert both.counts is not None
    assert (both.outcome, both.counts.passed, both.counts.failed) == ("failed", 5, 1)
    same = read_call("pytest -q a; pytest -q b", "1 failed, 2 passed in 1s\n3 passed in 1s\n", 0)
    assert same is not None
    assert same.counts is not None
    assert (same.outcome, same.counts.passed, same.counts.failed) == ("failed", 5, 1)
    bare = read_call("pytest -q a; pytest -q b", "1 failed in 1s\n5 passed in 1s\n", 0)
    assert bare is not None
    assert bare.counts is not None
    assert (bare.outcome, bare.counts.passed, bare.counts.failed) == ("failed", 5, 1)
    again = read_call("pytest -q || pytest -q --lf", "1 failed, 1 passed in 1s\n1 passed in 1s\n", 0)
    assert again is not None
    assert (again.outcome, again.counts) == ("failed", None)
    built = read_call("make && make test", "make: *** [Makefile:3: app] Error 1\n", 2)
    assert built is not None
    assert (built.kind, built.outcome) == ("build", "failed")
    linted = read_call("ruff check . && pytest -q", "All checks passed!\n3 passed in 1s\n", 0)
    assert linted is not None
    assert (linted.kind, linted.outcome) == ("test", "passed")


EXAMPLES: list[tuple[str, str, str, str, tuple[int | None, ...] | None]] = [
    ("pytest", "python3 -m pytest -q", "1 failed, 3 passed, 1 xfailed in 1s", "failed", (3, 1, 0, 0)),
    ("doctest", "python -m doctest -v m.py", "2 passed and 0 failed.\nTest passed.", "passed", (2, 0, 0, 0)),
    (
        "unittest",
        "python -m unittest",
        "Ran 5 tests in 0.1s\n\nFAILED (failures=1, errors=1, skipped=1)",
        "failed",
        (2, 1, 1, 1),
    ),
    ("tox", "tox -e py311", "4 passed in 1s\n  congratulations :) (2 seconds)", "passed", (4, 0, 0, 0)),
    ("nox", "nox -s tests", "4 passed in 1s\nnox > Session tests was successful.", "passed", (4, 0, 0, 0)),
    ("jest", "npx jest", "Tests:       1 failed, 2 passed, 3 total", "failed", (2, 1, 0, 0)),
    ("vitest", "npx vitest run", "      Tests  1 failed | 2 passed (3)", "failed", (2, 1, 0, 0)),
    (
        "cypress",
        "cypress run",
        "    ✖  1 of 1 failed (100%)    00:04        3        2        1        -        -",
        "failed",
        (2, 1, 0, 0),
    ),
    ("mocha", "npx mocha", "  2 passing (5ms)\n  1 pending\n  1 failing", "failed", (2, 1, 1, 0)),
    ("karma", "npx karma start", "TOTAL: 1 FAILED, 4 SUCCESS", "failed", (4, 1, 0, 0)),
    ("jasmine", "npx jasmine", "3 specs, 0 failures, 1 pending spec", "passed", (2, 0, 1, 0)),
    ("playwright", "npx playwright test", "  1 failed\n  2 passed (1.2s)", "failed", (2, 1, 0, 0)),
    ("ava", "npx ava", "  2 tests passed", "passed", (2, 0, 0, 0)),
    ("node test", "node --test", "# tests 3\n# pass 2\n# fail 0\n# skipped 1", "passed", (2, 0, 1, 0)),
    ("tap", "npx tap", "# { total: 2, pass: 1, fail: 1 }", "failed", (1, 1, 0, 0)),
    ("bun test", "bun test", " 3 pass\n 1 fail\nRan 4 tests across 1 files.", "failed", (3, 1, 0, 0)),
    ("deno test", "deno test -A", "ok | 3 passed | 0 failed (12ms)", "passed", (3, 0, 0, 0)),
    (
        "nextest",
        "cargo nextest run",
        "     Summary [   0.01s] 3 tests run: 3 passed, 1 skipped",
        "passed",
        (3, 0, 1, 0),
    ),
    (
        "cargo test",
        "cargo test --workspace",
        "test result: ok. 2 passed; 0 failed; 1 ignored;\ntest result: ok. 1 passed; 0 failed; 0 ignored;",
        "passed",
        (3, 0, 1, 0),
    ),
    (
        "go test -json",
        "go test -json ./...",
        '{"Action":"pass","Package":"a","Test":"T1"}\n{"Action":"fail","Package":"a","Test":"T2"}',
        "failed",
        (1, 1, 0, 0),
    ),
    ("go test", "go test -v ./x", "--- PASS: TestA (0.00s)\nPASS\nok  \tx\t0.1s", "passed", (1, 0, 0, 0)),
    ("rspec", "bundle exec rspec", "3 examples, 1 failure, 1 pending", "failed", (1, 1, 1, 0)),
    (
        "minitest",
        "bin/rails test",
        "3 runs, 3 assertions, 0 failures, 1 errors, 1 skips",
        "error",
        (1, 0, 1, 1),
    ),
    ("phpunit", "vendor/bin/phpunit", "OK (2 tests, 2 assertions)", "passed", (2, 0, 0, 0)),
    ("maven build", "mvn -q package -DskipTests", "[INFO] BUILD SUCCESS", "passed", None),
    (
        "maven",
        "./mvnw -B verify",
        "Tests run: 4, Failures: 1, Errors: 0, Skipped: 1\n[INFO] BUILD FAILURE",
        "failed",
        (2, 1, 1, 0),
    ),
    ("gradle build", "./gradlew assemble", "BUILD SUCCESSFUL in 3s", "passed", None),
    ("gradle", "./gradlew test", "3 tests completed, 1 failed\nBUILD FAILED", "failed", (2, 1, 0, 0)),
    (
        "dotnet test",
        "dotnet test",
        "Failed!  - Failed:     1, Passed:     6, Skipped:     1, Total:     8",
        "failed",
        (6, 1, 1, 0),
    ),
    ("dotnet build", "dotnet build", "Build succeeded.\n    0 Error(s)", "passed", None),
    ("ctest", "ctest --test-dir b", "67% tests passed, 1 tests failed out of 3", "failed", (2, 1, 0, 0)),
    (
        "googletest",
        "./build/unit_tests",
        "[  PASSED  ] 2 tests.\n[  FAILED  ] 1 test, listed below:",
        "failed",
        (2, 1, 0, 0),
    ),
    ("bats", "bats test", "3 tests, 1 failure, 1 skipped", "failed", (1, 1, 1, 0)),
    ("prove", "prove -l t", "Files=1, Tests=4,  0 wallclock secs\nResult: PASS", "passed", (4, 0, 0, 0)),
    ("mix test", "mix test", "1 doctest, 4 tests, 1 failure, 1 skipped", "failed", (3, 1, 1, 0)),
    (
        "swift test",
        "swift test",
        "Test Suite 'All tests' passed\n\t Executed 2 tests, with 0 failures (0 unexpected) in 0.1 seconds",
        "passed",
        (2, 0, 0, 0),
    ),
    ("behave", "behave", "2 scenarios passed, 0 failed, 0 skipped", "passed", (2, 0, 0, 0)),
    ("cucumber", "npx cucumber-js", "3 scenarios (1 failed, 2 passed)", "failed", (2, 1, 0, 0)),
    ("robot", "robot t.robot", "2 tests, 1 passed, 1 failed", "failed", (1, 1, 0, 0)),
    ("shunit2", "sh test_it.sh", "Ran 2 tests.\n\nOK", "passed", (2, 0, 0, 0)),
    ("script", "python tests/run.py", "Ran 2 tests in 0.1s\n\nOK", "passed", (2, 0, 0, 0)),
    ("flutter test", "flutter test", "00:01 +3: All tests passed!", "passed", (3, 0, 0, 0)),
    ("sbt test", "sbt test", "[info] Tests: succeeded 3, failed 1, canceled 0", "failed", (3, 1, 0, 0)),
    (
        "ward",
        "ward",
        "│  2  Passes            (66.7%)  │\n│  1  Failures          (33.3%)  │",
        "failed",
        (2, 1, 0, 0),
    ),
    ("other tests", "busted", "3 successes / 1 failure / 0 errors / 0 pending", "failed", (3, 1, 0, 0)),
    ("type check", "npx tsc --noEmit", "a.ts(1,2): error TS2322: no", "failed", None),
    ("lint that lists", "semgrep scan", "Ran 1 rule on 3 files: 4 findings.", "failed", (None, 0, None, 4)),
    ("lint", "ruff check .", "Found 5 errors.", "failed", (None, 0, None, 5)),
    ("pre-commit", "pre-commit run -a", "black......................Failed", "failed", None),
    ("cargo build", "cargo check", "error: could not compile `a`", "failed", None),
    ("go build", "go build ./...", "a.go:7:9: undefined: x", "failed", None),
    ("compiler", "gcc -o a a.c", "a.c:1:2: error: no", "failed", None),
    ("cmake", "cmake -B out", "-- Build files have been written to: /a/out", "passed", None),
    ("build", "npx vite build", "✓ built in 3.1s", "passed", None),
    ("test target", "npm run test:unit", "  Tests  2 passed (2)", "passed", (2, 0, 0, 0)),
    ("type check target", "npm run typecheck", "a.ts(1,2): error TS2322: no", "failed", None),
    ("lint target", "npm run lint", "✖ 3 problems (2 errors, 1 warning)", "failed", (None, 0, None, 2)),
    ("build target", "make -j8", "make: *** [Makefile:3: app] Error 1", "failed", None),
]


@pytest.mark.parametrize(("name", "command", "output", "outcome", "counts"), EXAMPLES)
def test_each_runners_example_is_read(
    name: str, command: str, output: str, outcome: str, counts: tuple[int | None, ...] | None
) -> None:
    runner = find_runner(command.split())
    assert runner is not None
    assert runner.name == name
    result = read_call(command, output + "\n", None)
    assert result is not None
    seen = result.counts and (
        result.counts.passed,
        result.counts.failed,
        result.counts.skipped,
        result.counts.errors,
    )
    assert (result.kind, result.outcome, seen or None) == (runner.kind, outcome, counts)


def test_each_runner_has_an_example() -> None:
    assert [row[0] for row in EXAMPLES] == [runner.name for runner in all_runners()]


_PIECES = (
    "pytest -q",
    "npm test",
    "echo x",
    "exit 1",
    "&&",
    "||",
    "|",
    ";",
    "&",
    "(",
    ")",
    "if",
    "then",
    "fi",
)
_MORE = ("'", '"', "$(", "`", "{", "}", "<<E", "\n", "2>&1", ">", "log", "$?", "!", "do", "done", "set -e")


@given(st.lists(st.sampled_from((*_PIECES, *_MORE)), max_size=25), st.sampled_from((None, 0, 1, 127)))
def test_any_command_line_is_read_without_an_error(pieces: list[str], exit_code: int | None) -> None:
    result = read_call(" ".join(pieces), "x\n1\n", exit_code)
    assert result is None or result.outcome in ("passed", "failed", "error", "unknown", "none")


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("pytest;" * 2_000, ""),
        ("(" * 3_000 + "pytest", ""),
        ("$(" * 3_000 + "pytest", ""),
        ("a;pytest>x;b|c&&d;" * 400, ""),
        ("pytest; " + "do " * 30_000, ""),
        ("git stash; " * 300 + "pytest", ""),
        ("pytest; " + "a && " * 1_500 + "b", ""),
        ("pytest; " + "a | " * 1_900 + "b", ""),
        ("pytest; " + "eval " * 1_500 + "b", ""),
        ("pytest", "F" * 400_000),
        ("pytest", "FFFFFFFFFFFFx\n" * 30_000),
        ("npm test", "1 passed, " * 60_000),
        ("npm test", "x: " * 150_000),
        ("go test ./...", "FAIL\n" * 80_000),
    ],
)
def test_huge_commands_and_outputs_are_read(command: str, output: str) -> None:
    assert read_call(command, output, 1) is not None


@pytest.mark.parametrize(
    ("command", "outcome"),
    [
        ("git ls-files | xargs pytest -n 4 | tail -1", "passed"),
        ("git ls-files | xargs -P 4 -0 pytest -n 4 | tail -1", "passed"),
        ("git ls-files | xargs -P 4 -r pytest -n 4 | tail -1", "unknown"),
        ("git ls-files | xargs -P 4 -n 1 pytest | tail -1", "unknown"),
        ("xargs -a list -n 1 pytest | tail -1", "unknown"),
        ("git ls-files | xargs -0 -I {} pytest {} | tail -1", "unknown"),
    ],
)
def test_an_option_of_the_program_that_xargs_runs_is_not_taken_for_xargs_own(
    command: str, outcome: str
) -> None:
    call = read_call(command, "3 passed in 0.1s\n", 0)
    assert call is not None
    assert call.outcome == outcome


@pytest.mark.parametrize(
    ("command", "output", "code", "outcome"),
    [
        (
            "cd ~/lerna-app && npx jest",
            "Test Suites: 1 failed\nTests:       1 failed, 3 passed, 4 total\n",
            1,
            "failed",
        ),
        (
            "cd ~/lerna-app && npx jest | tail -5",
            "Test Suites: 1 passed, 1 total\nTests:       4 passed, 4 total\nTime: 1 s\n",
            0,
            "passed",
        ),
        ("pnpm jest | tail -4", "Test Suites: 1 failed, 1 total\nTests:       0 total\n", 0, "error"),
        ("pnpm tsc --noEmit | tail", "error TS18003: No inputs were found in config file.\n", 0, "failed"),
        (
            "cd turbo && go vet ./... | head",
            "# a/b\n./a.go:3:2: fmt.Printf format %d has arg x\n",
            0,
            "failed",
        ),
    ],
)
def test_a_monorepo_tools_name_in_the_line_does_not_hide_a_summary(
    command: str, output: str, code: int, outcome: str
) -> None:
    call = read_call(command, output, code)
    assert call is not None
    assert call.outcome == outcome


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("pnpm -r test | cat", "Scope: 2 of 3\na test: Tests:       1 failed, 2 total\nThat was all\n"),
        ("npx turbo run test | cat", "• Running\na:test: Tests:       1 failed, 2 total\n Tasks:  0 done\n"),
        ("bash -c 'lerna run test --stream' | cat", "a: PASS x\na: Tests:       1 failed, 2 total\n"),
        ("docker-compose run web npx jest | cat", "web  | Tests:       1 failed, 2 total\n"),
    ],
)
def test_a_prefix_that_a_package_manager_puts_before_a_summary_is_skipped(command: str, output: str) -> None:
    call = read_call(command, output, 0)
    assert call is not None
    assert call.outcome == "failed"
