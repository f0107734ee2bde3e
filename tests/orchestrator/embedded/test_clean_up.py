"""What the guide to cleaning up names is planned as it says: which mails, and what happens to them."""

from collections.abc import Sequence
from typing import Any

import pytest

from butler.contract.referents import ReferentKind
from butler.orchestrator.planning.plan_types import Planned, PlannerOutput, Unclear
from butler.store.conversation import Referent
from tests.orchestrator.embedded.scene import LIST, OLD, plan

MAIL = LIST[0]
FILE = Referent(handle="file-1", kind=ReferentKind.FILE, key="contract.pdf", tool="user_drive_search", shown_in="m0")
ATTACHED = Referent(handle="file-2", kind=ReferentKind.FILE, key="draft.pdf", tool=MAIL.tool, at=MAIL.at)
MESSAGE = Referent(handle="msg-1", kind=ReferentKind.MESSAGE, key="7", tool="user_telegram_send_message", shown_in="m0")


def act(output: PlannerOutput) -> tuple[str, dict[str, Any]]:
    assert isinstance(output, Planned), output
    (step,) = output.steps
    return step.tool_call.removeprefix("user_email_"), step.args


@pytest.mark.parametrize("shown", [[MAIL], [FILE, MAIL], [MESSAGE, MAIL], [OLD, FILE, MAIL], [MAIL, ATTACHED]])
async def test_it_is_the_mail_shown_last_whatever_was_shown_before(shown: Sequence[Referent]) -> None:
    assert act(await plan("archive it", referents=tuple(shown))) == ("archive", {"mails": [{"handle": "mail-2"}]})


async def test_it_is_the_mail_replied_to_whatever_was_shown_since() -> None:
    name, args = act(await plan("archive it", referents=(MAIL, MESSAGE), replied_to=(MAIL,)))
    assert (name, args) == ("archive", {"mails": [{"handle": "mail-2"}]})


@pytest.mark.parametrize("shown", [[], [FILE], [MAIL, MESSAGE]])
async def test_it_is_no_mail_where_something_else_was_shown_last(shown: Sequence[Referent]) -> None:
    assert not isinstance(await plan("archive it", referents=tuple(shown)), Planned)


@pytest.mark.parametrize(
    ("words", "action", "args"),
    [
        (
            "archive all newsletters from hostinger older than a month",
            "archive",
            {"category": "promotions", "senders": ["hostinger"], "before": "2026-02-04"},
        ),
        (
            "trash promotions over a year old, but keep Amazon",
            "trash",
            {"category": "promotions", "keep": ["Amazon"], "before": "2025-03-04"},
        ),
        (
            "delete mails larger than 10 MB with attachments",
            "trash",
            {"larger_kb": 10_240, "attachment": True},
        ),
        (
            "mark all unread mails from Carol as read",
            "mark_read",
            {"unread": True, "senders": ["carol@work.example"]},
        ),
        ("label everything from the school as Family", "label", {"senders": ["school"], "name": "Family"}),
        ("take the label Family off everything from the school", "unlabel", {"senders": ["school"], "name": "Family"}),
    ],
)
async def test_an_example_of_the_guide_says_which_mails(words: str, action: str, args: dict[str, Any]) -> None:
    assert act(await plan(words)) == (action, args)


async def test_everything_alone_is_asked_about() -> None:
    output = await plan("archive everything")
    assert isinstance(output, Unclear)
    assert "Which mails do you mean?" in output.question
