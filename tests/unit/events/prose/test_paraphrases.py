"""Choices and doubts worded in many ways: by their reasons, a label, or a report's negative statements."""

from __future__ import annotations

import pytest

from gittraj.events.prose.choices import find_choices
from gittraj.events.prose.doubts import find_doubts

REPORT = "All done, the suite is in place.\n\n"
"""Many doubts count only in a message that reports work done."""
CHOICES = [
    "Batching was considered and dropped: the API charges per item anyway.",
    "I went for composition: the subclass approach broke pickling.",
    "I decided the safest path is additive: new columns, no renames.",
    "- **Scope**: only the CLI, not the web UI",
    "To stay compatible with IE mode I used `var` instead of `let` in the loader.",
    "The script now exits with 1 instead of printing a warning, so CI notices.",
    "Swapped `axios` for the built-in `fetch`.",
    "Sticking with `argparse`; click would be the only third-party import.",
    "I chose to duplicate the three constants: importing them would create a cycle.",
    "Used `Object.freeze` over a Proxy for performance.",
    "I'm using `rsync` here over `scp` because it resumes.",
    "Opted for polling. Webhooks need a public URL, which the on-prem installs don't have.",
    "Two alternatives were ruled out: a cron job (no access on the host) and a Lambda (cold starts).",
    "- **Errors**: typed results instead of exceptions",
    "I made `timeout` keyword-only instead of appending another positional argument.",
    "Chose to keep both code paths for one release rather than flipping the switch right away.",
    "We keep the raw SQL because the query builder can't express the window function.",
    "I'm reusing `parse_date` here instead of adding yet another helper.",
    "I avoided touching `core.py` and wrapped the call in the plugin instead.",
    "Tests hit a local stub instead of the real API to keep CI deterministic.",
    "I settled for a warning instead of an error so that old projects still build.",
    "- Single source of truth in `config.ts` instead of duplicating defaults",
    "Extracted into its own package instead of living under `utils/`.",
    "The validation happens in the schema and not in the handler.",
    "- Left `utils.js` alone (it's imported from 60 places)",
    "Passing the clock in beats monkeypatching `time.time`.",
    "I resisted adding a base class and simply duplicated the four lines.",
    "I kept the Bash script because it has to run before Python is installed.",
    "`flex` rather than `grid`, since Safari 13 must be supported.",
    "I took approach B (server-side rendering); approach A needs the API key in the browser.",
    "Error codes stay strings – switching to ints would break the mobile client.",
    "I kept the diff minimal and did not reformat the file.",
    "I let the database generate the ids; doing it in the app would need a lock.",
    "Chose optimistic locking; pessimistic locks would serialize all writers.",
    "I wrapped the legacy call rather than touching it.",
    "I used a plain dictionary here; an LRU cache felt premature.",
    "The retry loop uses a fixed delay. Exponential backoff isn't worth it for a local socket.",
    "I implemented this as a pure function instead of a class with state.",
    "- Kept `moment` (removing it touches 40 files)",
    "I preferred a table test to eleven separate functions.",
    "Since we only need one endpoint, I used the `http` module directly – Express would be overkill.",
    "Went with the smaller diff: the helper is patched in place, not extracted.",
    "I left the N+1 query in the admin page alone; fixing it means reworking the serializer.",
    "To keep the bundle small I imported only `lodash/debounce` and not the whole package.",
    "I reverted to the callback version; promises swallowed the stack trace.",
    "Tailwind classes were used instead of a new stylesheet to match the rest of the app.",
    "We don't cache negative results: a typo would stick for an hour.",
    "The parser is hand-written. Generating it with ANTLR would add a Java build step.",
    "Picked `pg_trgm` for the fuzzy match because Elasticsearch is too heavy for one field.",
    "For the date handling I leaned on the standard library rather than pulling in arrow.",
    "Kept the public API synchronous so existing callers don't need to change.",
    "My preference was a background job, but the hosting plan has no workers, so it runs inline.",
    "Ended up pinning to 2.8 because 2.9 drops Python 3.8.",
    "I chose the second variant since it needs no schema change.",
    "Decided to fail loudly on unknown keys rather than ignore them.",
    "The config is parsed eagerly at startup. Lazy parsing was tempting, but errors would surface too late.",
    "Instead of storing the full payload, only its hash is saved.",
    "`useReducer` instead of five `useState` calls keeps the transitions in one place.",
    "The simplest option was to shell out to `git` – libgit2 bindings don't support partial clones.",
    "The list is a plain array, not a linked one — it never holds more than ten entries.",
    "Temperatures are stored in kelvin, not in Fahrenheit.",
    "In place of a global, the pool is passed in, which keeps the tests parallel.",
    "I considered a rewrite in Rust but stuck with Python: the disk is the bottleneck.",
    "The module is the better place: the serializer is shared with the admin pages.",
    "A dozen hooks are replaced by one reducer, as saving needs all the values at once.",
    "- Replace `exec` with `nano-spawn` for better messages",
    "Full-text search runs in Postgres and not in a second service.",
    "**Engine:** Pagefind. Algolia was the obvious candidate, but its free tier forbids private docs.",
    "The check stays out of the database on purpose: a slow query must not kill the pod.",
]
DOUBTS = [
    "It doesn't clean up old temp files.",
    "The docs don't say what happens on overflow, so this is a guess.",
    "Concurrent imports aren't handled.",
    "Two TODOs remain in `sync.py`.",
    "Retry logic is missing for the batch endpoint.",
    "Memory grows by about 1 MB per connection; I haven't looked into why.",
    "Unfortunately the sandbox has no network, so dependencies could not be installed.",
    "Known issue: the tooltip flickers in Firefox.",
    "I couldn't find a test that exercises this branch.",
    "I couldn't get the Docker build to work here, so the image is unverified.",
    "The old column is still there; drop it once all clients are updated.",
    "The import is slow: about 2 minutes for 10k rows.",
    "I wasn't able to run the iOS simulator in this environment.",
    "This is not thread-safe.",
    "The change is not backwards compatible.",
    "Dark mode is not part of this change.",
    "The script must be run as root.",
    "A full reindex is needed after the upgrade.",
    "The API key is currently hardcoded in `config.ts`; it should be moved to an env var.",
    "Existing sessions will be invalidated.",
    "The fallback is slow.",
    "My understanding is that the field is optional, but the spec is ambiguous.",
    "The linter still complains about two unused variables in code I didn't write.",
    "Some edge cases remain, such as empty files.",
    "This introduces a small performance penalty on startup.",
    "`make deploy` has not been executed.",
    "Performance on large repositories is unknown.",
    "This may conflict with the open PR on the same file.",
    "Only the English strings are updated; the other locales fall back to English.",
    "This change is hard to revert once data has been written.",
    "I assumed that order ids are unique across tenants.",
    "I'd like a second pair of eyes on the SQL.",
    "Rate limiting is per process, so with four workers the effective limit is four times higher.",
    "There's no monitoring for the queue length.",
    "Two of the links in the docs are dead.",
    "I wasn't sure about the intended behaviour for refunds, so I followed the existing tests.",
    "Existing users will be logged out once.",
    "I can't verify the SMTP settings from here.",
    "The mock does not cover rate limiting.",
    "It works for PDFs up to 50 pages; beyond that the worker runs out of memory.",
    "I didn't have a Mac to try this on.",
    "The Windows build is unverified.",
    "There is one catch: the token must be refreshed every hour.",
    "This is a partial fix.",
    "Deleting a user leaves orphaned uploads behind.",
    "The type checker reports two errors in generated files, which I ignored.",
    "Heads up, I had to bump `react` to 18.3 as well.",
    "Pagination is not implemented.",
    "Please double check the French translations, they are machine generated.",
    "The old images stay in the bucket until somebody deletes them.",
    "One thing to watch: the cron job overlaps with the nightly backup.",
    "I have only eyeballed the output.",
    "The coverage report excludes the CLI.",
    "If the upstream renames that field, this will silently return nothing.",
    "Only Chrome was tested.",
    "I haven't touched the Android side.",
    "It will not work behind a corporate proxy.",
    "CI has not run yet.",
    "This assumes the server clock is UTC.",
    "I did not touch the mobile views, so they still show the old logo.",
    "`test_sync_large` takes 40 s, you may want to mark it as slow.",
    "Downside: startup is about 200 ms slower.",
    "There's a small race between the check and the write.",
    "The translation for `checkout.tax` is missing in Dutch.",
    "Two of the snapshot tests are red; they were red before I started.",
    "The workaround can go once upstream releases 2.4.",
    "Time zone handling is best guess.",
    "The type of `options` is `any` for the moment.",
    "Dropping the index locks the table for a while.",
    "Backwards compatibility is not guaranteed for plugins.",
    "The fix relies on the order of dict keys.",
    "I could reproduce it only once.",
    "`git bisect` across this commit will not build.",
    "The feature is incomplete: editing works, deleting does not.",
    "Still open: retries for failed webhooks.",
    "Windows paths were not considered.",
    "`make docs` is still failing, same as before.",
    "There is currently no way to cancel a running export.",
    "TODO: localise the error messages.",
    "There's a small window in which two workers pick the same job.",
    "Someone should review the regex in `parse_header`.",
    "The backup takes about forty minutes and needs 2 GB.",
    "Passwords of old accounts are still hashed with MD5.",
    "Concurrent edits: last write wins.",
    "Documentation of the new flag is still to be written.",
]
NEITHER = [
    "The build now fails on warnings instead of printing them.",
    "`GET /items` returns a list instead of a page, which is the bug.",
    "The old code wrote to the wrong folder rather than to the cache.",
    "I see, the job is hitting the staging server instead of the local one.",
    "Root cause: the resolver points to localhost instead of the proxy.",
    "The second request still shows the old name instead of the new one.",
    "Detects placeholder values in the config.",
    "Good, the import is still used.",
    "The dialog will still open the browser.",
    "No changes were needed in the client.",
    "Verified: the existing entry was left untouched.",
    'The page said "this may break at any time", and that text is gone.',
    "`isEmpty()` returns true if the list isn't filled.",
    "The queue no longer drops messages.",
    "It now retries, so a failed upload is not lost.",
    "I picked up the branch from yesterday and rebased it.",
    "Skipped items: 4 of them, as you asked.",
    "Kept all 13 cases.",
    "It returns nothing when the key is not found.",
    "The test asserts that an error is raised if the token is missing.",
    "- [x] Remove the secrets that were never rotated",
    "We're now dealing with a test-level matter, not a configuration problem.",
    "- Articles use `description` (not `name`)",
    "The cause of the crash in the parser was that it did not check the length.",
]
TABLE = """Done.

| Question | Taken | Left out | Why |
|---|---|---|---|
| Storage | a file | a table | one writer |
"""
LISTS = [
    "**Known gaps:**\n- Old browsers\n- Right-to-left text",
    "## What is missing\n\n1. Dark mode on the map\n2. Paging in the archive",
]


@pytest.mark.parametrize("sentence", CHOICES)
def test_a_choice_is_recognized_by_its_reasons(sentence: str) -> None:
    (result,) = find_choices(REPORT + sentence)
    assert result.quote in sentence
    assert result.chosen


@pytest.mark.parametrize("sentence", DOUBTS)
def test_a_doubt_in_a_report_is_found(sentence: str) -> None:
    (result,) = find_doubts(REPORT + sentence)
    assert result in sentence


@pytest.mark.parametrize("sentence", NEITHER)
def test_other_sentences_are_neither_choice_nor_doubt(sentence: str) -> None:
    assert find_choices(REPORT + sentence) == ()
    assert find_doubts(REPORT + sentence) == ()


def test_work_left_undone_on_purpose_is_a_choice_with_its_reason() -> None:
    sentence = (
        "## What I deliberately did not do\n\n- Did not edit `ANALYSIS.md` (it is no part of this phase)\n"
    )
    (result,) = find_choices(REPORT + sentence)
    assert (result.chosen, result.reason) == ("Did not edit `ANALYSIS.md`", "it is no part of this phase")


def test_a_choice_counts_even_if_the_message_ends_with_an_offer() -> None:
    sentence = (
        "- Updated the type to be an option instead of text\n\nWould you like me to adjust the page as well?"
    )
    (result,) = find_choices(sentence)
    assert result.rejected == ("text",)


@pytest.mark.parametrize(
    "heading",
    [
        "Loose ends",
        "What I couldn't verify",
        "Noticed but did not touch",
        "Not addressed",
        "Outside this slice",
        "Assumptions",
        "Two things to flag",
        "Concerns",
        "What remains",
    ],
)
def test_items_below_a_heading_of_open_matters_are_doubts(heading: str) -> None:
    sentence = f"## {heading}\n\n- Export of large tables\n- The sync of deleted rows\n"
    assert len(find_doubts(REPORT + sentence)) == 2


@pytest.mark.parametrize("heading", ["What did not change", "Key features", "To verify this works", "Tests"])
def test_items_below_another_heading_are_not_doubts(heading: str) -> None:
    sentence = f"## {heading}\n\n- Export of large tables\n- The sync of deleted rows\n"
    assert find_doubts(REPORT + sentence) == ()


def test_the_rows_of_a_table_of_limitations_are_doubts_and_those_of_notes_are_not() -> None:
    rows = (
        "|---|---|\n| Stashed files | their content is lost |\n| Old sessions | they stay until cleaned |\n"
    )
    assert len(find_doubts(REPORT + "| Limitation | Effect |\n" + rows)) == 2
    assert find_doubts(REPORT + "| File | Notes |\n" + rows) == ()


def test_items_of_an_agents_todo_list_are_not_doubts() -> None:
    assert find_doubts(REPORT + "### Todo List\n\n- Add the missing page\n- [x] Write the tests\n") == ()


def test_a_message_with_a_choice_is_a_report() -> None:
    sentence = (
        "BullMQ instead of pg-boss, because Redis is there already. The dashboard is behind basic auth only."
    )
    assert find_doubts(sentence, without={sentence.partition(" The")[0]})


def test_a_table_of_taken_and_rejected_options_is_a_choice() -> None:
    (result,) = find_choices(TABLE)
    assert (result.chosen, result.rejected, result.reason) == ("a file", ("a table",), "one writer")


@pytest.mark.parametrize("sentence", LISTS)
def test_a_list_below_a_label_with_the_colon_inside_is_read(sentence: str) -> None:
    assert len(find_doubts(REPORT + sentence)) == 2


def test_a_bold_question_is_answered_by_the_sentence_after_it() -> None:
    (result,) = find_choices(REPORT + "**Why a queue and not a direct call?** The mail server is slow.")
    assert (result.chosen, result.rejected) == ("a queue", ("a direct call",))
    assert result.quote == "The mail server is slow."


def test_the_objection_after_a_choice_names_the_rejected_alternative() -> None:
    (result,) = find_choices("I went with polling. Webhooks need a public address.")
    assert (result.chosen, result.rejected) == ("I went with polling", ("Webhooks",))


def test_a_negative_sentence_before_a_call_is_not_a_doubt() -> None:
    sentence = REPORT + "The `--watch` mode does not pick up new files."
    assert find_doubts(sentence)
    assert find_doubts(sentence, on_the_way=True) == ()
