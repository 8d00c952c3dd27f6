"""Sentences, as agents write them, that count as a result or as a reason."""

from __future__ import annotations

import pytest

from gittraj.events.prose.choices import find_choices
from gittraj.events.prose.markdown import plain
from gittraj.events.prose.outcome import find_reason, find_result

RESULTS = [
    ("Perfect! I've added a retry to the uploader.", "I've added a retry to the uploader."),
    ("## Summary\n\nThe migration is complete. All 41 tests pass.", "The migration is complete."),
    ("Done! I've written both reports:\n\n- a.md\n- b.md", "I've written both reports"),
    ("Renamed the module. Imports work as before.", "Renamed the module."),
    ("I fixed the loop. Would you like me to add a test?", "I fixed the loop."),
    (
        "I kept the queue rather than a table. The importer now finishes in 4 s.",
        "The importer now finishes in 4 s.",
    ),
    ("Both files are in. Committing now.", "Both files are in."),
    ("Now the tests pass.", "Now the tests pass."),
    ("Saving the form now clears the draft.", "Saving the form now clears the draft."),
    ("Not tested on Windows. The lock file has been removed.", "The lock file has been removed."),
]
NO_RESULTS = [
    "This demonstrates how a retry works.",
    "This is a clean approach that works for all clients.",
    "We check if the function returns the expected result.",
    "Now we need to add the zone to the text.",
    "Plan: The task is complete.",
    "Now the other.",
    "Good, now the config.",
    "Then the docs now.",
    "On to the docs now.",
    "Reading it now.",
    "Reading it now. Exported. One test still fails.",
    "I'm now reading both.",
    "Committing now.",
    "Let me look at the tests first.",
    "The parser returns None for an empty line.",
    "It appears to be a permission problem with the socket.",
    "Run `make ready` to see what is left.",
    "This implies that it was added by hand.",
    "You can start it with `serve --port 80`.",
    "I suspect that the cache might be stale.",
    "Should I also update the changelog?",
    "The changes should now be complete.",
    "## Problem\n\nThe nightly import fails on one dropped row.\n\n## Change\n\nRetry each row three times.",
]
REASONS = [
    "The crash came from a handle that was closed twice.",
    "The timeout is per attempt so that a slow mirror cannot block the others.",
    "The root cause was a missing index on the join column.",
    "Retries are capped to avoid a thundering herd.",
]
NO_REASONS = [
    "We'll mock the client to ensure that it is not called.",
    "It mocks the client to avoid real calls.",
    "I ended up not needing the lock. It was rejected because deque.append is atomic.",
    "I tried a mutex. This has been ruled out since it needs a server.",
    "I'd suggest the circle next, since it is the hardest.",
    "This makes it clear that",
    "Since you asked for green, here is a palette.",
    "I've been here since 9 o'clock, and nothing broke.",
    "Since the file is covered, I'll now append the rest.",
    "You could use a queue because it scales.",
    "Created CODEOWNERS with the team as the owner of all files.",
    "The key idea of decorators is three levels of functions.",
    "I renamed the module and updated its imports.",
    "This is why you're getting a 500.",
    "Don't share secrets in chat: avoid that, so that nobody reads them.",
    "The key insight is that we have three levels of functions.",
    "## Plan\n- Author fixtures: a small schema to ensure that each operation validates its input.",
]


def _quotes(message: str) -> set[str]:
    return {choice.quote for choice in find_choices(message)}


@pytest.mark.parametrize(("message", "result"), RESULTS)
def test_the_sentence_that_states_the_result_is_found(message: str, result: str) -> None:
    assert find_result([message], without={*_quotes(message), "Not tested on Windows."}) == result


@pytest.mark.parametrize("message", NO_RESULTS)
def test_no_result_is_found_in_a_sentence_without_one(message: str) -> None:
    assert find_result([message]) is None


def test_a_message_before_the_last_one_does_not_state_the_result() -> None:
    assert find_result(["I've added a cache.", "I have no idea whether it is right."]) is None
    assert find_result(["Both are in now.", "I've added a cache."]) == "I've added a cache."


@pytest.mark.parametrize("message", REASONS)
def test_a_stated_cause_is_the_reason(message: str) -> None:
    assert find_reason([message], ()) == message


@pytest.mark.parametrize("message", NO_REASONS)
def test_no_reason_is_found_in_a_sentence_without_one(message: str) -> None:
    assert find_reason([message], ()) is None


def test_a_choice_with_its_reason_is_preferred_and_one_without_is_not_a_reason() -> None:
    message = "The leak came from the cache. I used a set rather than a list because order does not matter."
    assert find_reason([message], find_choices(message)) == message.partition(". ")[2]
    bare = "I used a set rather than a list."
    assert find_reason([bare], find_choices(bare)) is None


def test_a_choice_that_a_later_one_rejects_is_not_the_reason() -> None:
    first = "I used a regex instead of split because it is one line."
    then = "I am switching to str.partition instead of the regex because it is clearer."
    choices = find_choices(f"{first}\n\nOn reflection, the regex was the wrong choice. {then}")
    assert [choice.quote for choice in choices] == [first, then]
    assert find_reason([first, then], choices) == then
    assert find_reason([first], choices[:1]) == first


@pytest.mark.parametrize(
    "message",
    [
        'Someone in issue 12 "chose bytes over bits because disks".',
        "The ticket says that the pool is small because of the licence.",
        'They wrote: "The pool is small. It was shrunk because of the licence. Keep it."',
    ],
)
def test_words_of_others_are_not_a_reason(message: str) -> None:
    assert find_reason([message], ()) is None


def test_a_report_of_the_work_is_not_a_reason() -> None:
    sentence = "pretty(0) gives an empty string, which is probably wrong; I left it, as the task didn't say."
    message = f"Done: pretty() prints all units and there's a README. {sentence}"
    assert find_choices(message) == ()
    assert find_reason([message], find_choices(message)) is None
    assert find_reason([sentence], find_choices(sentence)) == sentence


def test_the_reason_for_a_doubt_is_not_the_reason_for_the_work() -> None:
    message = "I typed the models. `legacy.py` stays untested because it needs a browser."
    assert (
        find_reason([message], (), without={"`legacy.py` stays untested because it needs a browser."}) is None
    )
    assert find_reason([message], ()) is not None


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("I keep __init__ and `__all__`, not __slots__.", "I keep __init__ and `__all__`, not __slots__."),
        ("*args and **kwargs go to obj.__init__().", "*args and **kwargs go to obj.__init__()."),
        ("**kwargs are passed on.", "**kwargs are passed on."),
        ("**No *such* file**, __very small__ and _fast_.", "No such file, very small and fast."),
        ("**No, there is no test.", "No, there is no test."),
        ("There is no test.**", "There is no test."),
    ],
)
def test_a_line_has_no_markup_but_the_names_of_python(content: str, text: str) -> None:
    assert plain(content) == text
