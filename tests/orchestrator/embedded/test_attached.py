"""A file that came with a mail or a message is read, or asked about, by those who say `the attached file`."""
# names: made up here

from datetime import timedelta
from typing import Any

import pytest

from bench.understanding_scenes import tools
from butler.contract.referents import ReferentKind
from butler.orchestrator.embedded.planner import EmbeddedPlanner
from butler.orchestrator.planning.plan_types import Planned, PlannerOutput, Unclear
from butler.store.conversation import Referent
from tests.orchestrator.builders import BILL
from tests.orchestrator.embedded import scene
from tests.orchestrator.harness import Harness
from tests.orchestrator.mails import DINNER, from_others, owners
from tests.orchestrator.readers import READ_FILE, document, wired

OTHER = BILL.model_copy(update={"sha256": "b" * 64, "name": "plan.pdf"})
ASKS = [
    ("read the attached file", ""),
    ("Please read the attachment.", ""),
    ("what does the attachment say about the deadline?", "what does the attachment say about the deadline"),
    ("what does the attached contract say about notice?", "what does the attached contract say about notice"),
    ("read the attached document and tell me when it ends", "when it ends"),
    ("summarise the attached file", "summarise the attached file"),
    ("Lies die angehängte Datei", ""),
    ("Was steht im Anhang über die Frist?", "Was steht im Anhang über die Frist"),
    ("Lis la pièce jointe", ""),
    ("Que dit le fichier joint sur le délai ?", "Que dit le fichier joint sur le délai"),
    ("Lee el archivo adjunto", ""),
    ("¿Qué dice el adjunto sobre el plazo?", "Qué dice el adjunto sobre el plazo"),
]


def file(number: int, minutes: int = 0) -> Referent:
    at = scene.NOW + timedelta(minutes=minutes)
    return Referent(handle=f"file-{number}", kind=ReferentKind.FILE, key=f"{number}", tool=READ_FILE, at=at)


MAIL = scene.mail(9, shown_in="m5").model_copy(update={"at": scene.NOW})


async def plan(words: str, *shown: Referent, about: Referent) -> PlannerOutput:
    return await scene.plan(words, referents=(*scene.SHOWN, *shown), replied_to=(about,), tools=tools())


def read(output: PlannerOutput) -> dict[str, Any]:
    assert isinstance(output, Planned), output
    (step,) = output.steps
    assert step.tool_call == READ_FILE
    return step.args


@pytest.mark.parametrize(("words", "question"), ASKS)
async def test_words_above_a_mail_or_under_a_file_mean_its_file(words: str, question: str) -> None:
    asked = {"file": {"handle": "file-1"}} | ({"question": question} if question else {})
    newer = file(2, minutes=5)
    assert read(await plan(words, file(1), newer, MAIL, about=MAIL)) == asked
    assert read(await plan(words, newer, file(1), about=file(1))) == asked


async def test_of_two_files_it_is_asked_which_and_of_none_nothing_is_guessed() -> None:
    two = await plan("read the attached file", file(1), file(2), MAIL, about=MAIL)
    assert isinstance(two, Unclear)
    assert [choice.words for choice in two.choices] == ["read file-1", "read file-2"]
    none = await plan("read the attached file", file(2, minutes=5), MAIL, about=MAIL)
    assert isinstance(none, Unclear)
    assert none.question == "No file came with that, as far as I can see."


async def test_it_is_still_the_mail_that_words_above_it_mean() -> None:
    output = await plan("read it", file(1), MAIL, about=MAIL)
    assert isinstance(output, Planned), output
    assert output.steps[0].args == {"message_id": {"handle": "mail-9"}}


@pytest.mark.parametrize("words", ["read the attached file", "what does the attachment say about the rent?"])
async def test_a_mail_of_the_owners_has_its_file_read(harness: Harness, words: str) -> None:
    wired(harness)
    harness.planner = EmbeddedPlanner()
    harness.start()
    harness.results[READ_FILE] = [document()]
    await harness.come_in(owners(words, attachments=(BILL,)))
    await harness.run()
    (call,) = [call for call in harness.calls if call.tool == READ_FILE]
    assert call.args.file == BILL.sha256
    assert call.args.question == ("" if "read" in words else words.rstrip("?"))


async def test_the_file_of_a_mail_that_was_passed_on_is_meant_above_it(harness: Harness) -> None:
    wired(harness)
    harness.planner = EmbeddedPlanner()
    harness.start()
    harness.results[READ_FILE] = [document()]
    later = scene.NOW + timedelta(days=3)
    await harness.come_in(from_others("Here", attachments=(OTHER,), inbound_id="m-2", dedup_key="m-2", sent_at=later))
    await harness.come_in(owners("summarise the attached file", DINNER, attachments=(BILL,)))
    await harness.run()
    assert [call.args.file for call in harness.calls if call.tool == READ_FILE] == [BILL.sha256]


async def test_a_caption_asks_of_the_file_that_it_stands_under(harness: Harness) -> None:
    wired(harness)
    harness.planner = EmbeddedPlanner()
    harness.start()
    harness.results[READ_FILE] = [document()]
    await harness.say("what does the attachment say about the rent?", attachments=(BILL,))
    (call,) = [call for call in harness.calls if call.tool == READ_FILE]
    assert (call.args.file, call.args.question) == (BILL.sha256, "what does the attachment say about the rent")
