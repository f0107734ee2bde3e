"""What is to be sent later, in the words of four languages: Wednesday 4 March 2026, 10:30 in Berlin."""
# names: made up here

from datetime import UTC, datetime
from typing import Any

import pytest

from butler.orchestrator.planning.plan_types import Planned, Unclear
from tests.orchestrator.embedded.scene import plan

TELEGRAM, MAIL = "user_telegram_send_message", "user_email_send_message"
ROWS: list[tuple[str, str, str, str]] = [
    ("tomorrow at 9 tell Bob that I am late", TELEGRAM, "I am late", "2026-03-05T08:00"),
    ("at 9 on Friday, tell Bob: see you", TELEGRAM, "see you", "2026-03-06T08:00"),
    ("in 20 minutes text Anna: now", TELEGRAM, "now", "2026-03-04T09:50"),
    ("send Bob a message on Friday at 7 pm: bring wine", TELEGRAM, "bring wine", "2026-03-06T18:00"),
    ('send "happy birthday" to Anna on Telegram tomorrow at 8', TELEGRAM, "Happy birthday", "2026-03-05T07:00"),
    ("tell Bob tomorrow morning: hi", TELEGRAM, "hi", "2026-03-05T08:00"),
    ("tell Bob on 30 March at 9: summer", TELEGRAM, "summer", "2026-03-30T07:00"),
    ("tell Bob on 29 March at 02:30: gap", TELEGRAM, "gap", "2026-03-29T01:00"),
    ("tell Anna tomorrow at 8 on Telegram: hi", TELEGRAM, "hi", "2026-03-05T07:00"),
    ("mail Anna on Monday at 9 about dinner: bring wine", MAIL, "bring wine", "2026-03-09T08:00"),
    ('mail Carol with subject "Report" on Monday at 9: here it is', MAIL, "here it is", "2026-03-09T08:00"),
    ("Schick Bob morgen um 8 eine Nachricht: bis gleich", TELEGRAM, "bis gleich", "2026-03-05T07:00"),
    ("Morgen um 8 schreib Bob: bis gleich", TELEGRAM, "bis gleich", "2026-03-05T07:00"),
    ("Sag Bob am Freitag um 10: bring Wein mit", TELEGRAM, "bring Wein mit", "2026-03-06T09:00"),
    ("Sag Bob morgen um 9, dass ich später komme", TELEGRAM, "Ich komme später", "2026-03-05T08:00"),
    ("Dis à Bob demain à 8h que j'arrive", TELEGRAM, "J'arrive", "2026-03-05T07:00"),
    ("Demain à 9h, dis à Bob : à tout à l'heure", TELEGRAM, "à tout à l'heure", "2026-03-05T08:00"),
    ("Envoie un message à Bob demain à 8h : à plus", TELEGRAM, "à plus", "2026-03-05T07:00"),
    ("Dile a Bob mañana a las 8 que llego tarde", TELEGRAM, "Llego tarde", "2026-03-05T07:00"),
    ("Mañana a las 9, dile a Bob: hasta luego", TELEGRAM, "hasta luego", "2026-03-05T08:00"),
    ("Envía un mensaje a Bob mañana a las 8: hasta luego", TELEGRAM, "hasta luego", "2026-03-05T07:00"),
]


def text_of(args: dict[str, Any]) -> str:
    return str(args.get("text") or args.get("body"))


@pytest.mark.parametrize(("words", "tool", "text", "at"), ROWS, ids=[row[0] for row in ROWS])
async def test_what_is_said_to_be_sent_later_waits_for_its_time(words: str, tool: str, text: str, at: str) -> None:
    output = await plan(words)
    assert isinstance(output, Planned), output
    (step,) = output.steps
    assert (step.tool_call, text_of(step.args)) == (tool, text)
    assert step.not_before == datetime.fromisoformat(at).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("text Anna that dinner is tomorrow at 8", "Dinner is tomorrow at 8"),
        ("tell Bob I'm late tomorrow at 8", "I'm late tomorrow at 8"),
        ("tell Bob: see you tomorrow at 8", "see you tomorrow at 8"),
        ('tell Bob "see you tomorrow at 8"', "see you tomorrow at 8"),
        ("Sag Bob, dass ich morgen um 8 komme", "Ich komme morgen um 8"),
    ],
)
async def test_a_time_in_the_text_stays_in_the_text(words: str, text: str) -> None:
    output = await plan(words)
    assert isinstance(output, Planned), output
    (step,) = output.steps
    assert (text_of(step.args).casefold(), step.not_before) == (text.casefold(), None)


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("text Anna tomorrow that I am ill", "send Anna a Telegram message on 2026-03-05 at 12:00 that I am ill"),
        ("tomorrow tell Bob: hi", "on 2026-03-05 at 12:00, tell Bob: hi"),
        ("text Anna at 5 that I leave", "send Anna a Telegram message on 2026-03-04 at 17:00 that I leave"),
        ("tell Anna tomorrow at 8: see you", "send Anna a mail on 2026-03-05 at 08:00: see you"),
        ("forward it to Carol tomorrow at 9", "on 2026-03-05 at 09:00, forward mail-2 to Carol"),
    ],
)
async def test_what_is_not_sure_is_asked_and_the_answers_keep_the_time(words: str, answer: str) -> None:
    output = await plan(words)
    assert isinstance(output, Unclear), output
    assert answer in [one.words for one in output.choices]
    again = await plan(answer)
    assert isinstance(again, Planned), again
    assert again.steps[-1].not_before is not None


async def test_what_is_to_be_sent_now_can_be_chosen_where_only_a_day_was_said() -> None:
    output = await plan("text Anna tomorrow that I am ill")
    assert isinstance(output, Unclear)
    assert output.choices[-1].words == "send Anna a Telegram message that I am ill"


@pytest.mark.parametrize("words", ["tell Bob on 1 March 2026 at 9: hi", "tell Bob on 1 March 2030 at 9: hi"])
async def test_a_time_that_is_past_or_years_ahead_is_asked_for(words: str) -> None:
    output = await plan(words)
    assert isinstance(output, Unclear)
    assert output.question.startswith("That time is past, or too far ahead")


async def test_an_answer_to_a_mail_waits_too() -> None:
    output = await plan('reply to the last mail "ok" tomorrow at 8')
    assert isinstance(output, Planned)
    assert output.steps[-1].tool_call == "bot_email_reply_to_thread"
    assert output.steps[-1].not_before == datetime(2026, 3, 5, 7, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    "words",
    [
        "reply to the last mail tomorrow at 8: ok",
        "answer the last mail tomorrow at 8 saying ok",
        "tomorrow at 8 reply to the last mail: ok",
    ],
)
async def test_a_time_before_the_text_of_an_answer_is_when_it_goes_out(words: str) -> None:
    output = await plan(words)
    assert isinstance(output, Planned), output
    step = output.steps[-1]
    assert (text_of(step.args).casefold(), step.not_before) == ("ok", datetime(2026, 3, 5, 7, 0, tzinfo=UTC))


async def test_a_time_in_the_text_of_an_answer_stays_there_and_a_bare_day_is_asked_about() -> None:
    for words in ("reply to the last mail: tomorrow at 8", "reply to the last mail with tomorrow at 8 works"):
        output = await plan(words)
        assert isinstance(output, Planned), output
        assert output.steps[-1].not_before is None
    output = await plan("reply tomorrow at 8: ok")
    assert isinstance(output, Unclear)
    assert "on 2026-03-05 at 08:00, reply to mail-2: ok" in [one.words for one in output.choices]
    assert isinstance(again := await plan("on 2026-03-05 at 08:00, reply to mail-2: ok"), Planned)
    assert again.steps[-1].not_before == datetime(2026, 3, 5, 7, 0, tzinfo=UTC)
    output = await plan("reply to the last mail tomorrow: ok")
    assert isinstance(output, Unclear)
    assert "reply to the last mail on 2026-03-05 at 09:00: ok" in [one.words for one in output.choices]


async def test_reminders_and_looks_are_no_sends() -> None:
    for words in ("remind me tomorrow at 9 to tell Bob hi", "tell me tomorrow at 8 what's in my mail"):
        output = await plan(words)
        assert not isinstance(output, Planned) or {step.not_before for step in output.steps} == {None}


@pytest.mark.parametrize(
    "words",
    [
        "Mail the report on Monday at 9",
        "mail the report",
        "on Monday at 9 mail the report",
        "send my notes on Friday at 9",
    ],
)
async def test_a_thing_without_a_text_and_without_a_reader_is_asked_about(words: str) -> None:
    output = await plan(words)
    assert isinstance(output, Unclear), output
    assert output.question.startswith("I can send words, but not things. Who shall read what?")


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("mail Anna the report on Monday at 9", "send Anna a mail: The report on Monday at 9"),
        ("email Carol the report", "send Carol a mail: The report"),
        ("text Anna on Monday at 9", "send Anna a Telegram message: On Monday at 9"),
        ("send the report to Anna on Monday at 9", "tell Anna on 2026-03-09 at 09:00: The report"),
    ],
)
async def test_a_thing_or_a_time_is_no_text_unless_it_is_said_to_be(words: str, answer: str) -> None:
    output = await plan(words)
    assert isinstance(output, Unclear), output
    assert [one.words for one in output.choices] == [answer]
