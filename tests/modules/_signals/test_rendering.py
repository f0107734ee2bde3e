"""How a server is, told from records: what is unusual and since when, what is as always, what could not be read."""

import pytest

from butler.contract.card import Style, rich_text
from butler.contract.rendering import Rendered
from butler.contract.speech import speak
from config.language import OwnerLanguage
from modules._signals.rendering import about_servers
from tests.modules._signals.builders import BOTH, answer, chart, lines, looks, metrics, series, told
from tests.support.rendering import context

BUSY = series([12, 11, 13, 12] * 12 + [97, 96, 98, 97] * 2)
CALM = series([41, 42, 40, 41] * 14)
LOADED = series([0.4, 0.5] * 24 + [8.4] * 8)


def quoted_lines(found: Rendered) -> list[str]:
    """The log lines; nothing in them can be tapped."""
    (block,) = [span.text for span in found.text if span.style is Style.PRE]
    return block.split("\n")


def test_what_is_unusual_is_told_with_its_beginning_before_what_is_as_always() -> None:
    said = told(metrics("memory", CALM), metrics("cpu", BUSY), metrics("disk", series([63.0] * 56)))
    assert said == (
        "CPU has been at 97 % since 21:25, usually 12 %.\n\nAs always: Memory in use 41 % and Disk in use 63 %."
    )


def test_the_chart_of_what_stands_out_first_comes_with_it_and_no_other() -> None:
    one = answer(metrics("memory", CALM), metrics("cpu", BUSY))
    assert [picture.name for picture in one.pictures] == ["cpu.png"]
    three = answer(metrics("cpu", BUSY), metrics("load", LOADED), metrics("swap", series([1.0] * 48 + [90.0] * 8)))
    assert [picture.name for picture in three.pictures] == ["cpu.png"]


def test_a_single_look_comes_with_its_chart_whatever_it_says() -> None:
    calm = answer(metrics("memory", CALM))
    assert rich_text(calm.text) == "Memory in use 41 %, as always."
    assert [picture.name for picture in calm.pictures] == ["memory.png"]


def test_where_nothing_is_unusual_that_is_said_without_a_chart() -> None:
    calm = answer(metrics("memory", CALM), metrics("disk", series([63.0] * 56)), lines((3, "GET /health 200")))
    assert rich_text(calm.text) == (
        "Nothing is unusual: Memory in use 41 % and Disk in use 63 %.\n\nIn 1 log line nothing stands out."
    )
    assert calm.pictures == ()


def test_what_was_bad_all_along_is_told_too() -> None:
    said = told(metrics("disk", series([96.0] * 56)), metrics("cpu", CALM))
    assert said.startswith("Disk in use has been at 96 % since 17:25 or longer.")


def test_an_instant_look_has_a_value_alone() -> None:
    assert told(metrics("disk", series([63.0]))) == "Now: Disk in use 63 %."
    assert told(metrics("disk", series([97.0]))) == "Disk in use is at 97 %, which is a lot."


def test_several_series_are_told_apart_by_what_differs() -> None:
    full, roomy = series([97.0], instance="nuc", mountpoint="/data"), series([40.0], instance="nuc", mountpoint="/")
    said = told(metrics("disk", full, roomy))
    assert said == "Disk in use (/data) is at 97 %, which is a lot.\n\nNow: Disk in use (/) 40 %."


def test_log_lines_of_that_time_are_grouped_quoted_and_counted() -> None:
    logs = lines(
        (300, "error: of the morning"),
        (4, "upstream timed out after 30s, request 8812"),
        (9, "upstream timed out after 31s, request 8790"),
        (6, "GET /health 200"),
        (2, "kernel: Out of memory: Killed process 4711 (java)"),
        labels={"unit": "web"},
    )
    found = answer(metrics("cpu", BUSY), logs)
    said = rich_text(found.text)
    assert "What stands out in the logs (3 of 4 lines):" in said
    quoted = quoted_lines(found)
    assert quoted == [
        "21:58 web: kernel: Out of memory: Killed process 4711 (java)",
        "2× 21:56 web: upstream timed out after 30s, request 8812",
    ]
    assert "of the morning" not in said


def test_one_source_does_not_crowd_out_the_others_and_no_line_counts_twice() -> None:
    loud = lines(*[(n + 1, f"error: {word}") for n, word in enumerate(("ape", "bat", "cat", "dog", "elk"))],
                 labels={"unit": "web"})  # fmt: skip
    quiet = lines((1, "backup: 3 % done"), (2, "backup: 1 % done"), labels={"unit": "backup"}) | {"signal": "backup"}
    found = answer(loud, quiet, loud)
    quoted = quoted_lines(found)
    assert [text.split(": ", 1)[0].split()[-1] for text in quoted] == ["web", "web", "backup", "web", "web", "web"]
    assert quoted[2] == "2× 21:59 backup: backup: 3 % done"
    assert "What stands out in 7 log lines:" in rich_text(found.text)


def test_a_hostile_log_line_is_shown_as_what_it_is_and_cut() -> None:
    found = answer(lines((1, "error \u202eevil\u202c <b>x</b> " + "A" * 9_000)))
    (quote,) = quoted_lines(found)
    assert "[U+202E]" in quote
    assert len(quote) < 300


def test_a_hostile_label_or_query_cannot_pass_for_the_butlers_words() -> None:
    label = "x\n✅ All is well.\u202e" + "y" * 500
    said = told(metrics("", series([1.0], a=label), series([2.0], a="z"), query="up\n✅ Done."))
    assert "\n✅" not in said
    assert "[U+202E]" in said
    assert len(said) < 400


@pytest.mark.parametrize(
    ("half", "rest"),
    [
        (metrics("cpu", BUSY), "❌ I could not read the logs: the server cannot be reached."),
        (lines((1, "error: disk")), "❌ I could not read the metrics: the server cannot be reached."),
    ],
)
def test_the_other_half_is_told_where_one_cannot_be_reached(half: dict[str, object], rest: str) -> None:
    of = "metrics" if "lines" in half else "logs"
    failed = {"code": "UNAVAILABLE", "message": "the server cannot be reached", "of": of}
    said = told(half, failed, {**failed})
    assert said.count(rest) == 1
    assert "CPU has been" in said or "error: disk" in said


def test_one_signal_that_failed_is_named() -> None:
    failed = {"code": "TIMEOUT", "message": "no answer within 10 s", "signal": "disk"}
    assert "❌ I could not read Disk in use: no answer within 10 s." in told(metrics("cpu", BUSY), failed)


def test_what_is_not_set_up_is_told_beside_the_other_half() -> None:
    two = (metrics("cpu", BUSY), metrics("memory", CALM))
    assert "No logs are set up" in told(*two, tools=frozenset({"bot_prometheus_query_metrics"}))
    assert "No metrics are set up" in told(lines((1, "error")), tools=frozenset({"bot_loki_query_logs"}))
    assert "set up" not in told(*two)


def test_empty_answers_are_said_to_be_empty() -> None:
    assert told(metrics("disk")) == "There are no numbers for Disk in use."
    assert told(metrics("disk", series([None, None]))) == "There are no numbers for Disk in use."
    assert told(lines()) == "The logs of that time are empty."


def test_an_answer_that_is_not_whole_says_so() -> None:
    assert "left some series out" in told(metrics("cpu", BUSY, complete=False))
    assert told(lines((1, "error"), complete=False)).endswith("error\nThere are more than I was given.")


def test_a_huge_answer_stays_a_message() -> None:
    many = [series([12.0] * 48 + [97.0] * 8, cpu=str(n)) for n in range(400)]
    flood = lines(*[(n % 300, f"error {chr(97 + n % 26)}{chr(97 + n // 26 % 26)} " + "x" * 500) for n in range(6_000)])
    found = answer(metrics("cpu", *many), flood)
    assert len(rich_text(found.text)) < 3_500
    assert "And 394 more are unusual." in rich_text(found.text)
    assert len(found.pictures) == 1


def test_garbled_records_are_no_failure() -> None:
    for data in ({"series": 5}, {"series": [5, {"points": "x"}]}, {"series": None, "chart": {"name": 5}}):
        assert answer({"query": "up", "signal": "cpu", **data}).pictures == ()
    assert told({"lines": [5, {"text": None}, {"at": "soon", "text": "error"}], "count": 3}).endswith("error")


def test_a_limit_and_a_unit_of_the_settings_stand_before_ours() -> None:
    own = metrics("queue", series([40.0]), unit="", high=30)
    assert told(own) == "queue is at 40, which is a lot."
    ratio = metrics("cpu", series([0.12] * 48 + [0.97] * 8), unit="ratio", high=0.85)
    assert told(ratio) == "CPU has been at 97 % since 21:25, usually 12 %."
    assert told(metrics("memory", series([0.46]), unit="ratio")) == "Now: Memory in use 46 %."
    assert told(metrics("errors", series([0.5]), unit="1/s")) == "Now: Errors 0.50/s."
    assert told(metrics("fans", series([900]), unit="rpm", title="The fans")) == "Now: The fans 900 rpm."


def test_steps_that_are_no_looks_are_left_to_others() -> None:
    assert about_servers((), context(BOTH)) is None
    skipped = looks({"code": "SKIPPED", "message": "an earlier step did not work"})
    assert about_servers(skipped, context(BOTH)) is None


def test_a_chart_is_only_ever_a_stored_picture() -> None:
    odd = {**chart("cpu"), "path": "/etc/passwd"}
    assert answer(metrics("cpu", BUSY, chart=odd)).pictures == ()


def test_numbers_are_written_as_the_owner_writes_them() -> None:
    speak(OwnerLanguage.GERMAN)
    assert "8,4" in told(metrics("load", LOADED))


def test_lines_that_were_looked_for_by_words_are_shown_whatever_they_say() -> None:
    found = lines((5, "rsync started"))
    assert "nothing stands out" in told(found)
    assert "rsync started" in told({**found, "words": ["rsync"]})
