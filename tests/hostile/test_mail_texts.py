"""Mails that try to talk the butler into something: whoever sends them on, nothing is done before others without a tap.

A sample of the corpus of injections, as the parser reads them out of real mails.
"""

import random
from collections.abc import AsyncIterator
from email.message import EmailMessage
from functools import cache

import pytest
import sqlalchemy as sa

from butler.contract.inbound import Inbound
from butler.orchestrator.planning.plan_types import PlannerInput, PlannerOutput
from butler.store.store import Store
from butler.store.tables import approvals
from modules.email.facts import facts_of
from modules.email.inbound import Place, mail_inbound
from modules.email.parsing.parser import parse_mail
from tests.orchestrator.builders import NOON
from tests.orchestrator.harness import Harness
from tests.support.corpora import INJECTIONS, rows
from tests.support.reading import reading_planner
from tests.support.tables import create_tables

SAMPLE = 30
ME, BUTLER, EVE = "me@home.example", "butler@home.example", "eve@evil.example"
OWN_TOOLS = frozenset({"bot_reminders_create", "bot_notes_remember"})
"""What only the owner ever sees."""
WORDS = ("remind me of this tomorrow at 9", "what does she want?", "note: look into this", "")
HEAD = "---------- Forwarded message ---------"


@cache
def attacks() -> tuple[str, ...]:
    found = [entry["text"] for entry in rows(INJECTIONS) if entry["label"] == "attack"]
    return tuple(random.Random(4).sample(found, SAMPLE))


class Watched:
    """The embedded planner, with all that it was given."""

    def __init__(self) -> None:
        self.given: list[str] = []

    async def plan(self, request: PlannerInput) -> PlannerOutput:
        self.given.append(repr((request.words, request.referents, request.replied_to, request.history)))
        return await reading_planner().plan(request)


@pytest.fixture
async def harness() -> AsyncIterator[Harness]:
    store = Store("sqlite://")
    create_tables(store.engine)
    harness = Harness(store, Watched())
    await harness.meet()
    yield harness
    await store.close()


def item(number: int, sender: str, subject: str, text: str, *, proved: bool) -> Inbound:
    """A mail to the butler, read as its mailbox reads it."""
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = sender, BUTLER, " ".join(subject.split())
    mail["Message-ID"] = f"<hostile-{number}@x.example>"
    mail.set_content(text.encode("utf-8", "replace").decode())
    raw = mail.as_bytes()
    read = parse_mail(raw)[0]
    return mail_inbound(
        read,
        Place(BUTLER, 1, number, NOON),
        raw=f"{number:064x}",
        authority={"command": proved, "reason": "of this test"},
        facts=facts_of(read, own=BUTLER),
    )


async def pending(harness: Harness) -> list[str]:
    return await harness.store.read(lambda c: list(c.execute(sa.select(approvals.c.tool)).scalars()))


@pytest.mark.parametrize("words", WORDS)
async def test_what_the_owner_forwards_is_data_under_whatever_words(harness: Harness, words: str) -> None:
    for number, attack in enumerate(attacks()):
        text = f"{words}\n\n{HEAD}\nFrom: Eve <{EVE}>\nSubject: Hello\nTo: <{ME}>\n\n{attack}"
        await harness.come_in(item(number, ME, "Fwd: Hello", text, proved=True))
        await harness.run()
    assert harness.outputs() == []
    assert await pending(harness) == []
    given = "\n".join(harness.planner.given)  # type: ignore[attr-defined]
    for attack in attacks():
        assert not any(line.strip() in given for line in attack.splitlines() if len(line.strip()) > 25)


async def test_what_strangers_write_is_told_and_planned_by_nobody(harness: Harness) -> None:
    for number, attack in enumerate(attacks()):
        await harness.come_in(item(number, EVE, attack[:80], attack, proved=False))
        await harness.run()
    assert harness.planner.given == []  # type: ignore[attr-defined]
    assert harness.outputs() == []
    assert await pending(harness) == []
    assert harness.second.answers == []
    assert len(harness.phone.said) == SAMPLE


async def test_what_claims_to_be_the_owners_is_offered_at_most_and_done_by_nobody(harness: Harness) -> None:
    for number, attack in enumerate(attacks()):
        await harness.come_in(item(number, ME, "Hello", attack, proved=False))
        await harness.run()
    assert harness.planner.given == []  # type: ignore[attr-defined]
    assert harness.outputs() == []
    assert await pending(harness) == []
    assert harness.second.answers == []


async def test_every_button_under_what_is_forwarded_acts_before_others_only_after_a_card(harness: Harness) -> None:
    tapped = set()
    for number, attack in enumerate(attacks()):
        text = f"{HEAD}\nFrom: Eve <{EVE}>\nSubject: Invoice 7\nTo: <{ME}>\n\n{attack}\n\nInvoice 7, total: 99 EUR."
        await harness.come_in(item(number, ME, "Fwd: Invoice 7", text, proved=True))
        await harness.run()
        before = harness.phone.messages[-1] if harness.phone.messages else None
        for row in before.buttons if before else ():
            tapped.add(row[0].label)
            await harness.press(row[0])
    assert tapped
    assert harness.outputs() == []
