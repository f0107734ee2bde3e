"""`bot_memory_*`: the tools over the memory agent. Results keep the origins of their sources."""

from collections.abc import Mapping, Sequence

from butler.contract.agent_ports import MemoryKind
from butler.contract.agents import AgentFailure, MemoryQuery
from butler.contract.channel import ChannelInfo, Words
from butler.contract.door import failed
from butler.contract.errors import IntegrationErrorCode, Retryable
from butler.contract.integration import Idempotency, IntegrationResult
from butler.contract.module import Module
from butler.contract.records import ClosedRecord
from butler.contract.referents import ReferentKind
from butler.contract.speech import phrase, say
from butler.contract.tools import ToolCall, ToolHandler, ToolMetadata, ToolSpec, input_tool, output_tool
from modules.memory.args import (
    FACTS,
    MOST_FORGOTTEN,
    ROLES,
    ForgetArgs,
    Going,
    ListArgs,
    ReadArgs,
    SearchArgs,
    preview,
)

SHOWN = 3_000
"""Characters of a text that fit a message."""
BROAD = 0.37
"""The minimum relevance of a broad search."""


class MemoryToolSettings(ClosedRecord):
    """`[modules.memory]` has nothing to set; what is remembered stands in `[memory]`."""


class MemoryModule(Module):
    """`bot_memory_*`."""

    channel = "memory"
    about = ChannelInfo(
        title=phrase("What I remember"),
        words=Words.STATED,
        referent=ReferentKind.SOURCE,
        completed_from=phrase("the titles in memory"),
    )
    built_in = True
    settings_model = MemoryToolSettings

    def bot_inputs(self) -> Sequence[ToolSpec]:
        return (
            input_tool(
                "bot_memory_search",
                "Find what the butler has read, by a question: passages of mails, chats, documents, pages and notes.",
                SearchArgs,
                _with_outage_result(self._search),
                facts=FACTS["bot_memory_search"],
            ),
            input_tool(
                "bot_memory_list",
                "List and count what is in memory, by title and kind.",
                ListArgs,
                _with_outage_result(self._list),
                facts=FACTS["bot_memory_list"],
            ),
            input_tool(
                "bot_memory_read",
                "Show the text of one thing in memory.",
                ReadArgs,
                _with_outage_result(self._read),
                facts=FACTS["bot_memory_read"],
            ),
        )

    def bot_outputs(self) -> Sequence[ToolSpec]:
        return (
            output_tool(
                "bot_memory_forget",
                "Delete things from memory for good: one, or all with certain words in their title or from somebody.",
                ForgetArgs,
                _with_outage_result(self._forget),
                preview,
                idempotency=Idempotency.STATE,
                complete=_with_outage_result(self._find_going),
                facts=FACTS["bot_memory_forget"],
            ),
        )

    def tool_metadata(self) -> Mapping[str, ToolMetadata]:
        return ROLES

    async def _search(self, call: ToolCall) -> IntegrationResult:
        args: SearchArgs = call.args
        query = MemoryQuery(query_text=args.question, top_k=args.limit, filters=args.filters())
        if args.broad:
            query = query.model_copy(update={"min_relevance_score": BROAD})
        # Otherwise no threshold is given: that of the settings applies.
        output = await self.context.agents.memory.search(query)
        if isinstance(output, AgentFailure):
            return failed(IntegrationErrorCode.NOT_FOUND, output.message, provider_code=output.error_code)
        return IntegrationResult(ok=True, data=output.model_dump(mode="json") | {"question": args.question})

    async def _list(self, call: ToolCall) -> IntegrationResult:
        args: ListArgs = call.args
        kind = MemoryKind(args.kind) if args.kind else None
        memory = self.context.agents.memory
        found = await memory.sources(kind=kind, words=args.words, person=args.person, limit=args.limit)
        if not found:
            known = (args.words or args.kind or args.person) and await memory.sources(limit=1)
            why = (
                say("nothing in memory is called that, of that kind or from there")
                if known
                else say("nothing is remembered yet")
            )
            return failed(IntegrationErrorCode.NOT_FOUND, why)
        counts = await memory.counts(kind=kind, words=args.words, person=args.person)
        sources = [one.model_dump(mode="json") for one in found]
        return IntegrationResult(ok=True, data={"sources": sources, "counts": {k.value: n for k, n in counts.items()}})

    async def _read(self, call: ToolCall) -> IntegrationResult:
        args: ReadArgs = call.args
        source = await self.context.agents.memory.source(args.source)
        if source is None:
            return failed(IntegrationErrorCode.NOT_FOUND, say("this is not in memory, or not any more"))
        chunks = await self.context.agents.memory.read(args.source)
        text = "\n\n".join(chunk.content for chunk in chunks)
        pages = max((chunk.page_number or 0 for chunk in chunks), default=0)
        record = source.model_dump(mode="json") | {
            "pages": pages,
            "text": text[:SHOWN],
            "clipped": len(text) > SHOWN,
            "remembered": True,
        }
        return IntegrationResult(ok=True, data={"document": record})

    async def _find_going(self, call: ToolCall) -> IntegrationResult:
        """Find what to forget, before it is shown; fail if there is nothing, or too much for one card."""
        args: ForgetArgs = call.args
        if bool(args.source) == bool(args.words.strip() or args.person):
            return failed(
                IntegrationErrorCode.INVALID_INPUT, say("say one thing in memory, words of its title, or whose it is")
            )
        if args.source:
            memory = self.context.agents.memory
            # The owner sees a note's own id; memory stores the note under `note:<id>`.
            one = await memory.source(args.source) or await memory.source(f"note:{args.source}")
            found = [one] if one is not None else []
        else:
            found = await self.context.agents.memory.sources(
                words=args.words, person=args.person, limit=MOST_FORGOTTEN + 1
            )
        if not found:
            return failed(IntegrationErrorCode.NOT_FOUND, say("nothing in memory is called that or from there"))
        if len(found) > MOST_FORGOTTEN:
            why = say(
                "more than {count} things in memory are called that or from there; say words of their titles",
                count=MOST_FORGOTTEN,
            )
            return failed(IntegrationErrorCode.INVALID_INPUT, why)
        going = [Going(source_id=one.source_id, title=one.title).model_dump() for one in found]
        return IntegrationResult(ok=True, data={"going": going})

    async def _forget(self, call: ToolCall) -> IntegrationResult:
        """Forget exactly what was shown: words are not looked up again."""
        args: ForgetArgs = call.args
        if not args.going:
            return failed(IntegrationErrorCode.INVALID_INPUT, say("it was not found out what is to be forgotten"))
        if call.dry_run:
            return IntegrationResult(ok=True, data={"dry_run": True})
        gone = await self.context.agents.memory.forget([one.source_id for one in args.going])
        return IntegrationResult(ok=True, data={"forgotten": gone, "asked": len(args.going)})


def _with_outage_result(handler: ToolHandler) -> ToolHandler:
    """Wrap a handler so that an outage of memory becomes a result."""

    async def told(call: ToolCall) -> IntegrationResult:
        try:
            return await handler(call)
        except Retryable as outage:
            return failed(IntegrationErrorCode.UNAVAILABLE, outage.detail)

    return told
