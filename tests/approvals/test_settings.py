"""`[approvals]` in butler.toml."""
# names: made up here

import re
import tomllib
from datetime import datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from pydantic import ValidationError

from config.approvals import Approval, ApprovalsSettings, DenyRule, QuietHours

LONDON = ZoneInfo("Europe/London")


def test_durations_and_hours_are_read_as_people_write_them_and_shown_alike() -> None:
    written = {"expires": "90m", "undo_window": "0s", "stale_after": "2h", "quiet_hours": " 23:30 - 06:15 "}
    settings = ApprovalsSettings.model_validate(written)
    assert settings.expires == timedelta(minutes=90)
    assert settings.quiet_hours == QuietHours(time(23, 30), time(6, 15))
    shown = settings.model_dump(mode="json")
    assert (shown["expires"], shown["quiet_hours"]) == ("90m", "23:30-06:15")
    assert ApprovalsSettings.model_validate({"quiet_hours": ""}).model_dump(mode="json")["quiet_hours"] == ""
    assert ApprovalsSettings.model_validate({"quiet_hours": settings.quiet_hours}).quiet_hours == settings.quiet_hours


WRONG: list[tuple[dict[str, object], str]] = [
    ({"expires": "soon"}, "whole number and s, m, h or d"),
    ({"expires": "0s"}, "wait for some time"),
    ({"undo": "10s"}, "Extra inputs"),
    ({"quiet_hours": "22-7"}, "two times of day"),
    ({"quiet_hours": "25:00-07:00"}, "two times of day"),
    ({"quiet_hours": "07:00-07:00"}, "two different times"),
    ({"bot_outputs": "never"}, "'tool' or 'ask'"),
    ({"deny": [{}]}, "needs a tool or a recipient"),
    ({"deny": [{"tools": "x"}]}, "Extra inputs"),
    ({"deny": [{"tool": "email_*"}]}, "write a tool as it is called"),
    ({"deny": [{"tool": "User_*"}]}, "write a tool as it is called"),
    ({"deny": [{"tool": "user"}]}, "write a tool as it is called"),
    ({"deny": [{"tool": ""}]}, "write a tool as it is called"),
    ({"deny": [{"recipient": "bob@x.example"}]}, "as a card shows it"),
    ({"deny": [{"recipient": "mail:"}]}, "as a card shows it"),
    ({"policy": [{"tool": "bot_*"}]}, "Field required"),
    ({"policy": [{"tool": "bot_*", "approval": "never"}]}, "'none', 'conditional' or 'always'"),
    ({"policy": [{"tool": "x_*", "approval": "always"}]}, "write a tool as it is called"),
    ({"policy": [{"tool": "*", "approval": "none"}]}, "only tools whose name begins with bot_"),
    ({"policy": [{"tool": "user_*", "approval": "conditional"}]}, "can only be made to ask"),
    ({"limit": [{}]}, "per_day, per_recipient or recipients"),
    ({"limit": [{"per_day": 0}]}, "greater than or equal to 1"),
    ({"limit": [{"tool": "mail", "per_day": 1}]}, "write a tool as it is called"),
    ({"undo_windows": {"email": "9s"}}, "write a tool as it is called"),
    ({"stale_after": "0s"}, "some time to be done"),
]


@pytest.mark.parametrize(("wrong", "says"), WRONG)
def test_what_is_wrong_is_named(wrong: dict[str, object], says: str) -> None:
    with pytest.raises(ValidationError, match=says):
        ApprovalsSettings.model_validate(wrong)


@pytest.mark.parametrize(
    "line",
    [
        {"tool": "*", "approval": "always"},
        {"tool": "user_email_read_message", "approval": "always"},
        {"tool": "u*", "approval": "always"},
        {"tool": "bot_*", "approval": "none"},
        {"tool": "bot_email_*", "approval": "conditional"},
    ],
)
def test_a_line_of_the_policy_makes_any_tool_ask_and_lets_only_the_butlers_own_pass(line: dict[str, str]) -> None:
    settings = ApprovalsSettings.model_validate({"policy": [line]})
    assert settings.policy[0].approval == line["approval"]


def test_the_first_line_and_the_first_window_that_match_hold() -> None:
    settings = ApprovalsSettings.model_validate(
        {
            "policy": [{"tool": "bot_email_*", "approval": "always"}, {"tool": "bot_*", "approval": "none"}],
            "undo_windows": {"user_email_*": "30s", "user_*": "20s"},
        }
    )
    assert settings.approval_for("bot_email_send_message") is Approval.ALWAYS
    assert settings.approval_for("bot_telegram_send_message") is Approval.NONE
    assert settings.approval_for("user_email_send_message") is None
    assert settings.undo_for("user_email_send_message") == timedelta(seconds=30)
    assert settings.undo_for("user_telegram_send_message") == timedelta(seconds=20)
    assert settings.undo_for("bot_email_send_message") == timedelta(seconds=10)


@pytest.mark.parametrize(
    ("hours", "local", "until"),
    [
        ("22:00-07:00", datetime(2026, 3, 5, 23, 0, tzinfo=LONDON), datetime(2026, 3, 6, 7, 0, tzinfo=LONDON)),
        ("22:00-07:00", datetime(2026, 3, 5, 6, 59, tzinfo=LONDON), datetime(2026, 3, 5, 7, 0, tzinfo=LONDON)),
        ("22:00-07:00", datetime(2026, 3, 5, 22, 0, tzinfo=LONDON), datetime(2026, 3, 6, 7, 0, tzinfo=LONDON)),
        ("22:00-07:00", datetime(2026, 3, 5, 7, 0, tzinfo=LONDON), None),
        ("13:00-14:00", datetime(2026, 3, 5, 13, 30, tzinfo=LONDON), datetime(2026, 3, 5, 14, 0, tzinfo=LONDON)),
        ("13:00-14:00", datetime(2026, 3, 5, 14, 0, tzinfo=LONDON), None),
    ],
)
def test_quiet_hours_end_at_their_next_end(hours: str, local: datetime, until: datetime | None) -> None:
    quiet = ApprovalsSettings.model_validate({"quiet_hours": hours}).quiet_hours
    assert quiet
    assert quiet.until(local) == until


def test_a_deny_rule_covers_a_call_when_tool_and_any_recipient_match() -> None:
    rule = DenyRule(tool="user_email_*", recipient="mail:*@Work.example")
    assert rule.covers("user_email_send_message", ("mail:a@x.example", "mail:BOSS@WORK.example"))
    assert not rule.covers("user_email_send_message", ("mail:a@x.example",))
    assert not rule.covers("bot_email_send_message", ("mail:boss@work.example",))
    assert DenyRule(tool="user_*").covers("user_email_archive_thread", ())


@pytest.mark.parametrize(
    "recipient",
    ["telegram:@bob", "telegram:42", "telegram:-1001:7", "telegram:b*", "Mail:a@x.example", "mail:bob*", "*bob", "*"],
)
def test_a_recipient_is_an_address_or_a_pattern_of_one(recipient: str) -> None:
    assert DenyRule(tool="user_*", recipient=recipient).recipient == recipient


@pytest.mark.parametrize(
    ("recipient", "says"),
    [
        ("telegram:bob", "write telegram: with @name or a number, such as telegram:@bob"),
        ("telegram:@", "write telegram: with @name or a number"),
        ("mail:bob", "write mail: with a whole address, such as mail:bob@work.example"),
        ("mail:@work.example", "write mail: with a whole address"),
        ("mail:", "write a recipient as a card shows it"),
        ("email:bob@work.example", "write a recipient as a card shows it"),
        ("@bob", "write a recipient as a card shows it"),
    ],
)
def test_a_recipient_that_no_address_can_match_is_refused_with_what_to_write(recipient: str, says: str) -> None:
    with pytest.raises(ValidationError, match=says):
        DenyRule(recipient=recipient)


def test_in_a_recipient_only_the_star_is_special() -> None:
    rule = DenyRule(recipient="mail:?[a]@[10.0.0.1]")
    assert rule.names_one
    assert rule.covers("user_email_send_message", ("mail:?[a]@[10.0.0.1]",))
    assert not rule.covers("user_email_send_message", ("mail:xa@1",))
    assert not DenyRule(recipient="*@x.example").names_one


def test_the_examples_of_the_how_to_page_load() -> None:
    page = (Path(__file__).parents[2] / "docs/how-to/decide-what-asks.md").read_text()
    loaded = [
        ApprovalsSettings.model_validate(tomllib.loads(example)["approvals"])
        for example in re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    ]
    assert [(len(s.policy), len(s.deny), len(s.limit), len(s.undo_windows)) for s in loaded] == [
        (2, 0, 0, 0),
        (0, 0, 0, 0),
        (0, 2, 0, 0),
        (0, 0, 2, 0),
        (0, 0, 0, 2),
    ]
