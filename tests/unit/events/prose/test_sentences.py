"""Ordinary sentences of agents' summaries: which state a choice, which a doubt, and which neither."""

from __future__ import annotations

import pytest

from gittraj.events.prose.choices import find_choices
from gittraj.events.prose.doubts import find_doubts

CHOICES = [
    "I ended up storing the tokens in an httpOnly cookie instead of localStorage so scripts cannot read it.",
    "Rather than patching the vendored library, I wrapped it in an adapter.",
    "For the queue I picked BullMQ over Agenda; it already ships with retries.",
    "Decided to keep the synchronous API and not to introduce async here, because callers are all scripts.",
    "**Zod over Joi**: better inference of types.",
    "- **SQLite rather than Postgres**: a single user, no server to run",
    "- Streaming instead of buffering – files can be 10 GB",
    "I replaced the polling loop with a file watcher.",
    "We're using a bitmask here, not a list of flags, since it is written 60 times a second.",
    "I opted for feature flags as opposed to a long-lived branch.",
    "Switched from `moment` to `dayjs` to cut the bundle.",
    "I considered a trigger in the database but went with an application hook, which is easier to test.",
    "Moved validation into the model instead of the controller.",
    "I made the field nullable rather than adding a default, as existing rows have no value.",
    "Chose to fail closed over failing open when the licence server is down.",
    "A background job was preferred over doing it in the request: uploads take up to a minute.",
    "Instead of retrying forever, the client now gives up after five attempts.",
    "Kept `requests` instead of moving to httpx: nothing here is async.",
    "I deliberately did not use a singleton; a context object is passed instead.",
    "Used a `Set` rather than an array for lookups.",
    "Dropped the ORM in favour of plain SQL for the report.",
    "Pagination is cursor-based rather than offset-based.",
    "I favored explicit imports over a barrel file.",
    "Going with a monorepo; separate repos would need version bumps for every change.",
    "The hash is computed on the server, not in the browser, so the salt stays private.",
    "Implemented it as a middleware instead of a decorator.",
    "The retry count lives in the config file rather than being hard-coded.",
    "For caching, I used an LRU map; Redis would have been overkill for one process.",
    "I've gone with Playwright instead of Cypress since we need WebKit.",
    "- Named exports (not default exports) so that renames are caught",
    "Static generation over server rendering, because the content changes once a week.",
    "I stuck with CommonJS rather than converting the whole package to ESM.",
    "To keep the diff small I patched the existing helper instead of rewriting it.",
    "I preferred a composite index to two single ones: the query always filters on both.",
    "A plain `dict` is used instead of a dataclass because the keys are dynamic.",
    "The scheduler runs in-process instead of in a separate worker, which saves a deployment.",
    "I avoided adding a dependency and wrote the 20-line parser by hand.",
    "We settled on UUIDv7, not UUIDv4, because they sort by time.",
    "I changed the return type from `Optional[str]` to `str` with an empty default, so nobody has to check.",
    "Rather than mocking the clock, the tests inject a `now` function.",
    "I merged the two migrations into one instead of keeping both.",
    "After comparing both, I took the streaming parser; the DOM parser ran out of memory.",
    "I used `git worktree` in place of cloning twice.",
]
DOUBTS = [
    "The e2e suite wasn't run because no browser is installed in this sandbox.",
    "Note that the old endpoint is still exposed and should be removed in a later release.",
    "This doesn't handle daylight-saving changes yet.",
    "I haven't been able to reproduce the original crash.",
    "One test (`test_upload_large`) is flaky and was marked as skipped.",
    "Beware: running the migration twice will duplicate the rows.",
    "The types are loose in three places (`any`), to be tightened later.",
    "Performance with more than 10k rows is unknown.",
    "There is no rollback for this migration.",
    "IE11 is no longer supported by this change.",
    "You will need to set `STRIPE_KEY` before deploying, otherwise payments fail.",
    "I left a TODO for the retry logic.",
    "The mock server returns fixed data, so pagination isn't really exercised.",
    "Error messages are only in English for now.",
    "Assumes that the clock of both machines is in sync.",
    "It could be slow for very large diffs.",
    "I couldn't find where the legacy flag is set, so I left it alone.",
    "The fix is untested on macOS.",
    "⚠️ This changes the public API: `load()` now throws.",
    "Caution: the lock is not released if the process is killed.",
    "Lint still reports 3 warnings in files I did not touch.",
    "The coverage dropped from 91% to 88%.",
    "Known limitation: nested folders are ignored.",
    "The cache is never invalidated, which is fine for now.",
    "I'm guessing at the intended rounding; please confirm.",
    "Not covered: uploads over 4 GB.",
    "2 of 40 tests fail, both were failing before.",
    "This is a breaking change for plugin authors.",
    "The password policy isn't enforced on the import path.",
    "Edge case not handled: empty files.",
    "I could only test this against a local MinIO, not real S3.",
    "Large files (over 100 MB) have not been tested.",
    "The build emits two deprecation warnings that I didn't address.",
    "Since there's no test database, the queries are only checked for syntax.",
    "It's worth double-checking the timezone logic.",
    "This will stop working when the v1 API is switched off in March.",
    "Windows support is best effort.",
    "The old tokens stay valid until they expire.",
    "Be aware that this doubles the memory use.",
    "I had to disable the type checker for this file.",
    "Please review the regex carefully, I'm not confident in it.",
    "Migrating existing users is left for a follow-up.",
    "The snapshot tests had to be updated by hand; I did not verify each of them.",
    "Race conditions are possible if two workers start at once.",
    "The numbers are rough estimates.",
    "This was only run once, so flakiness can't be excluded.",
    "Search is still case-sensitive.",
    "API keys are stored in plain text.",
]
NEITHER = [
    "I'll start by looking at the failing test.",
    "The function returns a list instead of a tuple, which causes the error.",
    "All 48 tests pass and the linter is clean.",
    "Would you prefer Redis or Memcached?",
    "You could use Redis instead of Memcached here.",
    "The docs recommend `fetch` over `axios`.",
    "I found the bug: it compared strings instead of numbers.",
    "Let me run the tests rather than guess.",
    "Here's what I changed:\n\n- Added `retry()` to the client\n- Updated the README",
    "Done. The button is now blue, as you asked, rather than green.",
    "If the cache is cold, the first request takes longer than usual.",
    "The test expects 404 rather than 500.",
    "I'll grep for usages instead of reading each file.",
    "The error is raised when the token is not a string.",
    "We have three options:\n\n1. Use a queue instead of polling\n2. Keep polling\n\nWhich one do you want?",
    "Now I can see that the config is loaded twice, not once.",
    "I fixed the crash; it no longer happens when the list is empty.",
    "The parser was failing because quotes were not escaped. That is fixed now.",
    "`git rebase` rewrites commits instead of adding a merge commit.",
    "Perfect! Everything works.",
    "Next I'll add the tests that are missing.",
    "The variable is named `temp` rather than `tmp` in that file.",
    "The server responds with 200 instead of 201 at the moment, so let me change that.",
    "To run it: `npm install && npm start`.",
    "This adds a TODO list widget to the sidebar.",
    "The user can now skip the tutorial.",
    "I updated the section Known limitations in the manual.",
    "Looks like the import should be relative rather than absolute.",
    "Tests: 12 passed.",
    "It prints a warning if the file is missing, as requested.",
    "I read the config and the tests.",
    "The migration adds a column and backfills it.",
    "Now the button uses the theme color.",
    "The failing test passes now.",
    "It uses the same approach as the other handlers.",
    "Let me check whether the port is free.",
    "Because the cache was stale, users saw old prices; I clear it on save now.",
    "The response contains the id and the name.",
    "There are no breaking changes.",
    "I verified it on Node 18 and 20.",
    "Could you tell me which database you use?",
    "The script exits with 1 if a file is missing.",
    "I renamed `foo` to `bar` everywhere.",
    "Use `--force` if you want to overwrite files.",
    "The request was rejected by the server because of a missing header.",
    "We can either keep the file or remove it. What do you prefer?",
    'The log says: "could not connect to server".',
    "The option is off by default.",
    "I'll implement the parser first and then the CLI.",
    "The issue was caused by a wrong path, which I corrected.",
]


@pytest.mark.parametrize("said", CHOICES)
def test_a_choice(said: str) -> None:
    (found,) = find_choices([said])
    assert found.quote in said
    assert found.chosen
    assert found.rejected


@pytest.mark.parametrize("said", DOUBTS)
def test_a_doubt(said: str) -> None:
    (found,) = find_doubts([said])
    assert found.quote in said


@pytest.mark.parametrize("said", NEITHER)
def test_neither(said: str) -> None:
    assert find_choices([said]) == ()
    assert find_doubts([said]) == ()
