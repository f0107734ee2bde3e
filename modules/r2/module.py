"""`bot_r2_*`: puts files into the owner's bucket, fetches them, and creates links to them."""

from collections.abc import Mapping, Sequence
from zoneinfo import ZoneInfo

from butler.contract.adapters import remote_tool, through
from butler.contract.channel import ChannelInfo
from butler.contract.module import ModuleContext
from butler.contract.names import ApprovalDefault
from butler.contract.rendering import Rendered, StepResult, showed
from butler.contract.speech import phrase, say, say_many, say_number
from butler.contract.tools import (
    Preview,
    Reconciled,
    Settled,
    ToolCall,
    ToolMetadata,
    ToolSpec,
)
from modules._remote.module import RemoteModule
from modules.r2 import records as r
from modules.r2.config import R2ModuleSettings, R2Settings
from modules.r2.integration_r2 import R2Integration, key_of
from modules.r2.rendering import file_text, stored_text
from modules.r2.tool_args import GetToolArgs, PutToolArgs

CONTRACT = "1.0.0"
PUT, GET = "bot_r2_put_object", "bot_r2_get_object"
TIMEOUT_MS = 900_000
"""Half a gigabyte over a slow line; each single request has the time-out of the settings."""
_EXAMPLE = {"name": "contract.pdf", "size": 48_213, "sha256": "9f" * 32, "media_type": "application/pdf"}


class R2Module(RemoteModule[R2Settings, R2Integration]):
    """The owner's bucket."""

    channel = "r2"
    about = ChannelInfo(contents=phrase("your file storage"))
    title = "your bucket"
    settings_model = R2ModuleSettings

    def __init__(self, settings: R2ModuleSettings, context: ModuleContext) -> None:
        super().__init__(settings, context, settings.bot, R2Integration, package="boto3")

    def reads(self) -> Sequence[ToolSpec]:
        return (
            remote_tool(
                self.remote,
                self.channel,
                "get_object",
                contract_version=CONTRACT,
                description="Fetch a file out of the person's bucket, or make a link to it.",
                args=GetToolArgs,
                facts=("key", "size", "file", "link"),
                handler=through(self.remote, "get_object", timeout_ms=TIMEOUT_MS),
                examples=({"key": "papers/contract.pdf"}, {"key": "films/holiday.mp4", "link_only": True}),
            ),
        )

    def writes(self) -> Sequence[ToolSpec]:
        return (
            remote_tool(
                self.remote,
                self.channel,
                "put_object",
                contract_version=CONTRACT,
                description="Put a file into the person's bucket, and make a link to it.",
                args=PutToolArgs,
                facts=("key", "link", "link_expires_at"),
                handler=through(self.remote, "put_object", timeout_ms=TIMEOUT_MS),
                preview=self._preview,
                approval_default=ApprovalDefault.ALWAYS,
                reconcile=self._find,
                unseen=True,
                examples=({"file": _EXAMPLE, "key": "papers/contract.pdf", "link_minutes": 60},),
            ),
        )

    def render(self, result: StepResult, zone: ZoneInfo) -> Rendered | None:
        match result.spec.tool_name:
            case name if name == GET:
                return showed(result, file_text(result.data, zone))
            case name if name == PUT:
                return Rendered(stored_text(result.data, zone))
            case _:
                return None

    def roles(self) -> Mapping[str, ToolMetadata]:
        return {
            PUT: ToolMetadata.of(content="file", target="key", option="link_minutes"),
            GET: ToolMetadata.of(target="key", option="link_only link_minutes"),
        }

    def _preview(self, args: r.PutArgs) -> Preview:
        minutes = args.link_minutes or self.bot.link_minutes
        return Preview(
            say("Puts a file into your bucket"),
            attachments=(args.file,),
            facts=(
                (say("Bucket"), self.bot.bucket),
                (say("Name there"), key_of(args)),
                (say("Size"), say("{count} bytes", count=say_number(args.file.size))),
                (say("Who sees it"), say("Who may read the bucket, and who gets the link; you get it.")),
                (say("The link holds"), say_many(minutes, "{count} minute", "{count} minutes")),
                (say("If the name is taken"), say("nothing is replaced")),
            ),
            told=("file", "key", "link_minutes"),
        )

    async def _find(self, call: ToolCall) -> Reconciled:
        """Settle a put by the object under the key and the digest that the butler stores with it."""
        args: r.PutArgs = call.args
        result = await self.remote.request(call.trace_id, r.LOOK_AT, {"key": key_of(args)})
        if result.error is not None:
            if result.error.provider_code == "NoSuchKey":
                return Reconciled.with_text(Settled.REPEAT, phrase("the file is not in the bucket"))
            return Reconciled.with_text(Settled.UNKNOWN, result.error.message)
        seen = r.Seen.model_validate(result.data)
        if (seen.sha256, seen.size) != (args.file.sha256, args.file.size):
            return Reconciled.with_text(Settled.FAILED, phrase("there is another file of this name in the bucket"))
        return Reconciled.with_text(
            Settled.DONE, phrase("the file is in the bucket"), {"key": seen.key, "size": seen.size}
        )
