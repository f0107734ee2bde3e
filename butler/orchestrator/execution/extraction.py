"""Extracts from texts what a step needs before it is bound: typed values by the reader, drafts by the tailor.

Both hold no tools and are asked outside of any transaction, so that a crash only repeats it. Planners never see the
results. These carry the labels of all that was read, so that policy and card see whose words had a hand in them; a
draft always asks.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

from butler.agents.errors import ModelOutputError, ModelUnavailableError
from butler.agents.reader.port import KnownPerson, Reader, ReaderInput, ReaderOutput, Reading
from butler.agents.tailor.drafting import draft_of
from butler.contract.agents import AgentFailure, PlanStep, ReadKind, RetrievedContext
from butler.contract.errors import AgentErrorCode
from butler.contract.provenance import Labelled, Origin, Trust
from butler.contract.reasons import Reason, ReasonCode, in_own_words, of_error, reason
from butler.contract.speech import phrase
from butler.orchestrator.execution.binding import Taken
from butler.orchestrator.planning.owner_questions import believable
from butler.orchestrator.planning.references import DraftReference, ReadReference, every_taking, read_of
from butler.orchestrator.replies.answers import NOT_TOLD, Question, QuestionAnswering
from butler.orchestrator.replies.listed_lines import LISTED
from butler.orchestrator.replies.passages import bounded
from butler.orchestrator.results.mail_readings import read_for
from butler.orchestrator.results.outcomes import StepRefusedError
from butler.provenance import Labels, join, load
from butler.store.queries.contacts import Contact

READ_BY_MODEL = Origin(
    trust=Trust.UNTRUSTED, source="reader", shown_as=phrase("what a language model read in somebody's text")
)
DRAFT = Origin(trust=Trust.UNTRUSTED, source="tailor", shown_as=phrase("a draft made of what was read"))
"""A draft is nobody's words yet, so sending it to others always asks, whoever its sources are."""
FOR_OTHERS = frozenset({"language", "persona"})
"""Preferences that also apply to a text to somebody else."""
NOT_READ = {
    ReadKind.AMOUNT: phrase("I found no amount there"),
    ReadKind.DATE: phrase("I found no day there"),
    ReadKind.YES_NO: phrase("I found neither a yes nor a no there"),
    ReadKind.CONTACT: phrase("I found none of your contacts named there"),
}
NOT_DRAFTED = {
    AgentErrorCode.MEMORY_NO_RESULTS: phrase("what I found does not say that, so I drafted nothing"),
    AgentErrorCode.TAILOR_HALLUCINATION: phrase(
        "I could not word it so that the sources bear it out, so I drafted nothing"
    ),
    AgentErrorCode.GUARDRAIL_UNSAFE: phrase("what it would say must not be passed on, so I drafted nothing"),
}
NOBODY_WORDS = phrase("I could not word it, so I drafted nothing")
NO_TEXT = phrase("I have no text of that to read")


class NotTakenError(StepRefusedError):
    """A text does not say what a step needs."""


@dataclass(frozen=True, slots=True)
class ExtractionSources:
    """The sources that a step may read: the results of its plan's steps, and the contacts that it may name."""

    steps: Sequence[PlanStep]
    contacts: Mapping[str, Contact]
    preferences: Mapping[str, Any]


class Extractor:
    """Extracts what steps need from texts."""

    def __init__(self, answering: QuestionAnswering, reader: Reader | None, zone: ZoneInfo) -> None:
        """Without a `reader`, no typed value is read."""
        self._answering, self._reader, self._zone = answering, reader, zone

    async def condition(self, step: PlanStep, texts: ExtractionSources) -> tuple[Labelled[Reading] | None, Reason]:
        """Return what a step's condition reads, with its wording; None if the text does not say it."""
        reference = read_of(step.when)
        if reference is None:
            return None, in_own_words(phrase("its condition does not hold"))
        output, labels = await self._read(reference, texts)
        if output.reading is None:
            why = _not_read(reference.read, output, texts)
            if output.several and step.when is not None and step.when.is_ == "empty":
                # Something is there, so "nothing" cannot be claimed.
                raise NotTakenError(why)
            return None, why
        return Labelled(value=output.reading, origins=labels), _says(output.reading, texts)

    async def arguments(self, step: PlanStep, texts: ExtractionSources) -> Taken:
        """Extract what a step's arguments need from texts; raise `NotTakenError`."""
        try:
            references = list(dict.fromkeys(every_taking(step.args)))
        except ValueError as error:
            raise NotTakenError(in_own_words(f"{step.tool_call}: {error}")) from None
        return {reference: await self._taken(reference, texts) for reference in references}

    async def _taken(
        self, reference: ReadReference | DraftReference, texts: ExtractionSources
    ) -> Labelled[Reading | str]:
        if isinstance(reference, DraftReference):
            return await self._draft(reference, texts)
        output, labels = await self._read(reference, texts)
        if output.reading is None:
            raise NotTakenError(_not_read(reference.read, output, texts))
        return Labelled(value=output.reading, origins=labels)

    async def _read(self, reference: ReadReference, texts: ExtractionSources) -> tuple[ReaderOutput, Labels]:
        chunks, labels = await self._found(reference, texts)
        if self._reader is None:
            raise NotTakenError(in_own_words(phrase("nobody here reads texts")))
        given = ReaderInput(
            kind=reference.read,
            ask=reference.ask,
            context_chunks=chunks,
            people=_people(texts.contacts.values()) if reference.read is ReadKind.CONTACT else [],
            zone=self._zone.key,
        )
        try:
            output = await self._reader.read(given)
        except (ModelUnavailableError, ModelOutputError) as error:
            raise NotTakenError(of_error(error)) from None
        if isinstance(output, AgentFailure):
            why = output.message.rstrip(".")
            raise NotTakenError(in_own_words(phrase("I could not read it: {why}"), why=why))
        return output, labels | {READ_BY_MODEL} if output.model_used else labels

    async def _draft(self, reference: DraftReference, texts: ExtractionSources) -> Labelled[Reading | str]:
        chunks, labels = await self._found(reference, texts)
        question = Question(reference.ask, tuple(chunks), frozenset())
        wanted = {name: value for name, value in texts.preferences.items() if name in FOR_OTHERS}
        answered = await self._answering.of_question(question, wanted)
        text = draft_of(answered.output) if answered.output is not None else ""
        if not text:
            why = NOT_DRAFTED.get(answered.code, NOBODY_WORDS) if answered.code else NOBODY_WORDS
            raise NotTakenError(in_own_words(why))
        return Labelled(value=text, origins=labels | {DRAFT})

    async def _found(
        self, reference: ReadReference | DraftReference, texts: ExtractionSources
    ) -> tuple[list[RetrievedContext], Labels]:
        """Return the passages to read, and the labels of all their sources."""
        steps = {step.step_id: step for step in texts.steps}
        chunks: list[RetrievedContext] = []
        labels: Labels = frozenset()
        for source in reference.sources:
            step = steps.get(source) if isinstance(source, int) else None
            looked = () if step is None else read_for(step, texts.steps) or (step,)
            if not any([await self._gather(one, reference.ask, chunks) for one in looked]):
                raise NotTakenError(in_own_words(NO_TEXT))
            labels |= join(load((one.outcome or {}).get("origins") or ()) for one in looked)
        labels |= frozenset(origin for chunk in chunks for origin in chunk.origins)
        believed = list(bounded(believable(reference.ask, chunks)))
        if not believed:
            raise NotTakenError(in_own_words(NOT_TOLD))
        return believed, labels

    async def _gather(self, step: PlanStep, ask: str, chunks: list[RetrievedContext]) -> bool:
        """Add what one step found; return False if it has no text. Raises `QuarantinedSourceError`."""
        # The lines of a list have days and amounts of the list's own, such as when each mail came.
        found = [one for one in await self._answering.gathering.of(step, ask) if LISTED not in one.metadata]
        await self._answering.quarantine.nothing_bad(step, found)
        chunks += found
        return bool(found)


def _people(contacts: Iterable[Contact]) -> list[KnownPerson]:
    return [
        KnownPerson(
            contact_id=one.contact_id,
            aliases=list(dict.fromkeys((one.name, *one.aliases))),
            addresses=[address.split(":", 1)[-1] for address in one.addresses if not address.endswith("@")],
        )
        for one in contacts
    ]


def _not_read(kind: ReadKind, output: ReaderOutput, texts: ExtractionSources) -> Reason:
    if not output.several:
        return in_own_words(NOT_READ[kind])
    match kind:
        case ReadKind.DATE:
            return reason(ReasonCode.TEXT_HAS_DAYS, dates=[one.day.isoformat() for one in output.several if one.day])
        case ReadKind.AMOUNT:
            text = phrase("several amounts stand there: {these}")
        case ReadKind.CONTACT:
            text = phrase("several of your contacts are named there: {these}")
        case ReadKind.YES_NO:
            return in_own_words(phrase("both a yes and a no stand there"))
    return in_own_words(text, these=[_named(one, texts) for one in output.several])


def _says(reading: Reading, texts: ExtractionSources) -> Reason:
    if reading.day is not None:
        return reason(ReasonCode.TEXT_SAYS_DAY, date=reading.day.isoformat())
    match reading.kind:
        case ReadKind.YES_NO:
            is_yes, is_no = phrase("the answer there is yes"), phrase("the answer there is no")
            return in_own_words(is_yes if reading.yes else is_no)
        case ReadKind.CONTACT:
            return in_own_words(phrase("it names {name}"), name=_named(reading, texts))
        case _:
            return in_own_words(phrase("it says {value}"), value=_named(reading, texts))


def _named(reading: Reading, texts: ExtractionSources) -> str:
    """Return an amount or a contact as the owner reads it; never a word of the text itself."""
    if reading.amount is not None:
        return f"{reading.amount.value} {reading.amount.currency}"
    contact = texts.contacts.get(reading.contact_id)
    return contact.name if contact else ""
