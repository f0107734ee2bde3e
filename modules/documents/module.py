"""`bot_documents_read`: reads and remembers a file that was sent in a chat or attached to a mail."""

import re
from collections.abc import Mapping, Sequence

from pydantic import Field, SecretStr

from butler.contract.agent_ports import MemoryKind
from butler.contract.agents import AgentFailure
from butler.contract.arguments import Question
from butler.contract.channel import ChannelInfo, Words
from butler.contract.door import failed
from butler.contract.errors import IntegrationErrorCode
from butler.contract.inbound import Inbound
from butler.contract.integration import IntegrationResult
from butler.contract.module import Module
from butler.contract.names import Identity
from butler.contract.provenance import Origin, SourceKind, SourceName, Trust
from butler.contract.reading import DOCUMENT_FACTS, document_data, not_read, remember
from butler.contract.records import ClosedRecord
from butler.contract.referents import ReferentKind
from butler.contract.speech import phrase, say
from butler.contract.tools import Attachment, ToolCall, ToolMetadata, ToolSpec, input_tool

TOOL = "bot_documents_read"
_DIGEST = re.compile(r"(?:file:)?([0-9a-f]{64})")
_LOOKED_THROUGH = 200
_PLACES = tuple((channel, identity) for channel in ("telegram", "email") for identity in (Identity.BOT, Identity.USER))


class DocumentsSettings(ClosedRecord):
    """`[modules.documents]` has nothing to set; how documents are read stands in `[documents]`."""


class ReadArgs(ClosedRecord):
    """A stored file by its digest, and what is to be found out from it."""

    file: str = Field(
        min_length=1,
        max_length=100,
        description="A file of the chat or of a mail that was shown.",
        examples=[{"handle": "file-1"}],
    )
    question: Question = ""
    password: SecretStr = SecretStr("")
    """Used once, never stored."""
    force_ocr: bool = Field(
        default=False, description="Whether a scan's text came out wrong and is read anew.", examples=[True]
    )
    """Whether its text is read from its pictures although it has some of its own."""


class DocumentsModule(Module):
    """`bot_documents_*`."""

    channel = "documents"
    about = ChannelInfo(title=phrase("File"), words=Words.STATED, referent=ReferentKind.FILE, next_acts=("read",))
    built_in = True
    settings_model = DocumentsSettings

    def bot_inputs(self) -> Sequence[ToolSpec]:
        description = "Read a file that was sent in the chat or came with a mail."
        return (input_tool(TOOL, description, ReadArgs, self._read, facts=DOCUMENT_FACTS),)

    def tool_metadata(self) -> Mapping[str, ToolMetadata]:
        return {TOOL: ToolMetadata.of(target="file question", option="force_ocr password")}

    async def _read(self, call: ToolCall) -> IntegrationResult:
        args: ReadArgs = call.args
        match = _DIGEST.fullmatch(args.file)
        if match is None:
            text = say("name a file that was sent in the chat or came with a mail")
            return failed(IntegrationErrorCode.INVALID_INPUT, text)
        file, item = await self._found(match[1])
        document = await self.context.agents.documents.read_file(
            file, _origin(file, item), password=args.password or None, force_ocr=args.force_ocr
        )
        if isinstance(document, AgentFailure):
            return not_read(document)
        whose = (item.sender, item.sent_at or item.received_at) if item else ("", None)
        remembered = await remember(self.context.agents.memory, document, MemoryKind.DOCUMENT, *whose)
        return IntegrationResult(ok=True, data=document_data(document, remembered=remembered))

    async def _found(self, sha256: str) -> tuple[Attachment, Inbound | None]:
        """Return the file with its original name and type; for an old one, only its digest is known."""
        for channel, identity in _PLACES:
            items = await self.context.inbox.records.inbound(channel=channel, identity=identity, limit=_LOOKED_THROUGH)
            for item in items:
                for file in item.attachments:
                    if file.sha256 == sha256:
                        return file, item
        return Attachment(name="", size=0, sha256=sha256), None


def _origin(file: Attachment, item: Inbound | None) -> Origin:
    """Return an untrusted origin: whoever sent a file, its text may be anybody's."""
    name = " ".join(file.name.split())
    if item is None:
        return Origin(
            trust=Trust.UNTRUSTED, source=f"file:{file.sha256}", shown_as=SourceName(kind=SourceKind.FILE, name=name)
        )
    shown_as = SourceName(kind=SourceKind.FILE_FROM_CHAT, name=name)
    if item.mail is not None:
        shown_as = SourceName(kind=SourceKind.FILE_FROM, name=name, who=item.sender.removeprefix("mail:"))
    return Origin(trust=Trust.UNTRUSTED, source=item.origin.source, shown_as=shown_as)
