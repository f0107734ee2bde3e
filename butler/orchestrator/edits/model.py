"""A language model's rewording of a card, for changes that the rules do not understand.

The model has no tools and answers in a form. It reads the card, which may quote anybody, so it may change the wording
only, never the recipients, and its text carries its label beside those of the card.
"""

from dataclasses import replace

from pydantic import BaseModel, ConfigDict, Field

from butler.agents.llm import Llm
from butler.agents.redacting import Redact, as_it_is, restored
from butler.contract.provenance import Origin, Trust
from butler.contract.speech import phrase, say
from butler.orchestrator.edits.card_content import CardContent
from butler.orchestrator.planning.plan_types import Unclear
from butler.orchestrator.prompting import render

MODEL = frozenset(
    {Origin(trust=Trust.UNTRUSTED, source="model_wording", shown_as=phrase("a language model's wording"))}
)
LONGEST = 20_000
"""Most characters of a text that is given to a model."""


class EditForm(BaseModel):
    """New wording, or a question."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field(default="", max_length=2 * LONGEST, description="The whole new text; empty where it stays")
    subject: str = Field(default="", max_length=900, description="The whole new subject; empty where it stays")
    question: str = Field(default="", max_length=500)


async def reword(llm: Llm, words: str, sheet: CardContent, redact: Redact = as_it_is) -> CardContent | Unclear | None:
    """Return the card as a model would change it, or its question; None if it has neither. Raises what `Llm` raises.

    `redact` removes from the model's input what it must not see; its answer is restored afterwards.
    """
    if sheet.text is None or len(sheet.text) > LONGEST:
        return None
    (sentence, text, subject), placeholders = redact([words, sheet.text, sheet.subject or ""])
    values = {"words": sentence, "text": text, "subject": subject if sheet.subject is not None else None}
    form = await llm.fill(
        EditForm, instructions=render("edit_card.md", {}), prompt=render("edit_card_request.md", values)
    )
    form = restored(form, placeholders)
    if form.question.strip():
        unchanged = say("(Nothing was changed.)")
        return Unclear(f"{form.question.strip()}\n\n{unchanged}")
    new = replace(sheet, text=form.text or sheet.text)
    if form.subject and sheet.subject is not None:
        new = replace(new, subject=form.subject)
    return None if new == sheet else new
