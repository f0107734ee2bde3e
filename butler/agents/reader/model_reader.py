"""Reads with a language model that a program checks: it points at the words, and our own rules extract the value.

The model sees the question and the texts as quoted data, and has no tools. Whatever a text talks it into, the result is
one value of the requested kind, from words that occur in the text letter by letter.
"""

import json
from collections.abc import Mapping
from pathlib import Path

import structlog

from butler.agents.errors import ModelOutputError, ModelRefusedError, ModelUnavailableError, TurnLimitError, code_of
from butler.agents.fallbacks import EMBEDDED, ActiveModel
from butler.agents.llm import Llm
from butler.agents.prompting import Prompts
from butler.agents.reader.form import ReadingForm
from butler.agents.reader.port import Reader, ReaderInput, ReaderOutput, Reading
from butler.agents.reader.values import distinct, values
from butler.agents.redacting import Redact, as_it_is, restored
from butler.agents.tailor.quotes import find_quote
from butler.contract.agents import AgentFailure, ReadKind, RetrievedContext
from butler.contract.errors import AgentErrorCode
from butler.contract.speech import say_error

log = structlog.get_logger(__name__)

AGENT = "reader"
PROMPTS = Prompts(Path(__file__).parent / "prompts")
MOST_CHUNKS = 16
LONGEST_CHUNK = 4_000
"""Characters of a chunk that a model sees."""
WHAT = {
    ReadKind.AMOUNT: "an amount of money",
    ReadKind.DATE: "a day, with its time where one is said",
    ReadKind.YES_NO: "a yes or a no",
    ReadKind.CONTACT: "a person",
}


class ModelReader:
    """Implements `Reader`.

    `redact` takes personal data out before the model sees it; `otherwise` reads if the model cannot, and only if the
    owner configured it (`embedded` as the last fallback), which `answering` reports.
    """

    def __init__(
        self,
        llm: Llm,
        *,
        redact: Redact | None = None,
        otherwise: Reader | None = None,
        answering: ActiveModel | None = None,
    ) -> None:
        self._llm, self._redact = llm, redact or as_it_is
        self._otherwise, self._answering = otherwise, answering

    async def read(self, given: ReaderInput) -> ReaderOutput | AgentFailure:
        chunks = {f"c{number}": chunk for number, chunk in enumerate(given.context_chunks[:MOST_CHUNKS], 1)}
        if not chunks:
            return ReaderOutput()
        try:
            form = await self._ask(given, chunks)
        except (ModelRefusedError, TurnLimitError) as final:
            return _failure(code_of(final), say_error(final))
        except (ModelUnavailableError, ModelOutputError) as error:
            log.warning("reader_model_failed", kind=type(error).__name__)
            if self._otherwise is None:
                return _failure(code_of(error), say_error(error), recoverable=isinstance(error, ModelUnavailableError))
            if self._answering is not None:
                await self._answering.by(EMBEDDED, error.detail)
            return await self._otherwise.read(given)
        reading = checked(form, given, chunks)
        log.info("reading_checked", read=given.kind.value, held=reading is not None)
        return ReaderOutput(reading=reading, model_used=True)

    async def _ask(self, given: ReaderInput, chunks: Mapping[str, RetrievedContext]) -> ReadingForm:
        shown = [text for chunk in chunks.values() for text in (chunk.title, chunk.content[:LONGEST_CHUNK])]
        (ask, *data), placeholders = self._redact([given.ask, *shown])
        lines = [
            json.dumps(
                {
                    "chunk": name,
                    "title": title,
                    "date": chunk.at.date().isoformat() if chunk.at else None,
                    "text": text,
                },
                ensure_ascii=False,
            )
            for (name, chunk), title, text in zip(chunks.items(), data[::2], data[1::2], strict=True)
        ]
        people = [f"p{number}: {', '.join(one.aliases)}" for number, one in enumerate(given.people, 1)]
        rules = {"what": WHAT[given.kind], "kind": given.kind.value, "people": people}
        filled = await self._llm.fill(
            ReadingForm,
            instructions=PROMPTS.render("reader.md", rules),
            prompt=PROMPTS.render("reader_request.md", {"chunks": lines, "ask": ask}),
        )
        return restored(filled, placeholders)


def checked(form: ReadingForm, given: ReaderInput, chunks: Mapping[str, RetrievedContext]) -> Reading | None:
    """Return the value in the words that the model points at; None if they are not in the text, or are ambiguous."""
    chunk = chunks.get(form.chunk)
    words = find_quote(form.words, chunk.content) if chunk is not None else None
    if chunk is None or not words:
        return None
    if given.kind is ReadKind.YES_NO:
        # The model judges which sentence answers; the program can only check that the text has it.
        reading = Reading(kind=given.kind, yes=form.yes, quote=words, chunk_id=chunk.chunk_id)
        return reading if form.yes is not None else None
    found = distinct(list(values(given.kind, words, chunk, given.people, given.zone, given.ask)))
    if given.kind is ReadKind.CONTACT and form.person:
        found = [one for one in found if one.contact_id == _person(form.person, given)]
    if form.day and len(found) > 1:
        found = [one for one in found if one.day is not None and one.day.isoformat() == form.day]
    return found[0] if len(found) == 1 else None


def _person(name: str, given: ReaderInput) -> str:
    people = {f"p{number}": one.contact_id for number, one in enumerate(given.people, 1)}
    return people.get(name, "nobody")


def _failure(code: AgentErrorCode, message: str, *, recoverable: bool = False) -> AgentFailure:
    return AgentFailure(agent_id=AGENT, error_code=code.value, message=message, recoverable=recoverable)
