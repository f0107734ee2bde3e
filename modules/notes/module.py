"""`bot_notes_*`: stores and searches the owner's notes. They are the butler's own rows; only the owner sees them."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field

from butler.contract.channel import ChannelInfo, Words
from butler.contract.door import failed
from butler.contract.errors import IntegrationErrorCode
from butler.contract.integration import IntegrationResult
from butler.contract.module import Module
from butler.contract.records import ClosedRecord
from butler.contract.referents import ReferentKind
from butler.contract.speech import phrase, say
from butler.contract.tools import Preview, ToolCall, ToolMetadata, ToolSpec, input_tool, own_tool


class NotesSettings(ClosedRecord):
    """`[modules.notes]` has nothing to set."""


class RememberArgs(ClosedRecord):
    """What to keep."""

    text: str = Field(
        min_length=1,
        max_length=10_000,
        description='In the owner\'s own words, without "remember that".',
        examples=["the boiler is serviced each May"],
    )


class ChangeArgs(ClosedRecord):
    """What a note is to say instead."""

    note_id: str = Field(
        min_length=1, max_length=200, description="The note, by its handle.", examples=['{"handle":"note-1"}']
    )
    text: str = Field(
        min_length=1,
        max_length=10_000,
        description="All that it says from now on.",
        examples=["Shopping: milk, bread, butter"],
    )


class SearchArgs(ClosedRecord):
    """Words that a note has to hold; all notes without any."""

    words: str = Field(
        default="",
        description="One or two words that stand in it; left out: the newest.",
        examples=["boiler"],
    )
    limit: int = Field(default=10, ge=1, le=50, description="How many at most.", examples=[5])


class NotesModule(Module):
    """`bot_notes_*`."""

    channel = "notes"
    about = ChannelInfo(
        title=phrase("Notes"), words=Words.OWNER, referent=ReferentKind.NOTE, makes_things=True, next_acts=("change",)
    )
    built_in = True
    settings_model = NotesSettings

    def bot_inputs(self) -> Sequence[ToolSpec]:
        description = "Find notes that the owner asked the butler to remember."
        facts = ("notes.0.note_id", "notes.0.text")
        return (input_tool("bot_notes_search", description, SearchArgs, self._search, facts=facts),)

    def bot_outputs(self) -> Sequence[ToolSpec]:
        return (
            own_tool(
                "bot_notes_remember",
                "Remember something that the owner says, as a note.",
                RememberArgs,
                self._remember,
                preview,
                shows_origin=True,
                facts=("note.note_id",),
            ),
            own_tool(
                "bot_notes_change",
                "Change what a note says.",
                ChangeArgs,
                self._change,
                preview_change,
                shows_origin=True,
                facts=("note.note_id",),
            ),
        )

    def tool_metadata(self) -> Mapping[str, ToolMetadata]:
        return {
            "bot_notes_search": ToolMetadata.of(target="words", option="limit"),
            "bot_notes_remember": ToolMetadata.of(content="text"),
            "bot_notes_change": ToolMetadata.of(target="note_id", content="text"),
        }

    async def _remember(self, call: ToolCall) -> IntegrationResult:
        args: RememberArgs = call.args
        if call.dry_run:
            return IntegrationResult(ok=True, data={"dry_run": True})
        note = await self.context.built_in.notes.add(call.call_id, args.text, call.origins)
        return IntegrationResult(ok=True, data={"note": note.model_dump(mode="json")})

    async def _change(self, call: ToolCall) -> IntegrationResult:
        args: ChangeArgs = call.args
        if call.dry_run:
            return IntegrationResult(ok=True, data={"dry_run": True})
        note = await self.context.built_in.notes.change(args.note_id, args.text, call.origins)
        if note is None:
            return failed(IntegrationErrorCode.NOT_FOUND, say("that note is not there any more"))
        return IntegrationResult(ok=True, data={"note": note.model_dump(mode="json")})

    async def _search(self, call: ToolCall) -> IntegrationResult:
        args: SearchArgs = call.args
        found = await self.context.built_in.notes.search(args.words, args.limit)
        if not found:
            known = await self.context.built_in.notes.search("", 1)
            why = say("no note holds these words") if known else say("nothing has been noted yet")
            return failed(IntegrationErrorCode.NOT_FOUND, why)
        data: dict[str, Any] = {"notes": [note.model_dump(mode="json") for note in found]}
        return IntegrationResult(ok=True, data=data)


def preview(args: RememberArgs) -> Preview:
    """Return the preview of a new note."""
    return Preview(effect=say("Keeps a note for you"), body=args.text)


def preview_change(args: ChangeArgs) -> Preview:
    """Return the preview of a changed note."""
    return Preview(effect=say("Changes a note of yours"), body=args.text)
