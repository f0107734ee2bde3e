"""The butler's bot through the Bot API: python-telegram-bot's methods as an integration."""

import json
import re
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar, cast
from urllib.parse import urlencode

from telegram import (
    Bot,
    BotCommand,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    InputFile,
    LinkPreviewOptions,
    Message,
    MessageEntity,
    ReplyParameters,
)
from telegram.error import BadRequest, ChatMigrated, TelegramError

from butler.contract.base_integration import BaseIntegration
from butler.contract.errors import ConfigError, IntegrationErrorCode, IntegrationFault
from butler.contract.integration import READS, CallProbe, Idempotency, IntegrationCall, Method, RawAnswer, method
from butler.contract.ports import BlobStore, Vault
from butler.contract.speech import say
from modules.telegram.bot_api_records import (
    AnsweredQuery,
    AnswerQuery,
    BotUser,
    ChatAction,
    DeleteMessage,
    DownloadedFile,
    DownloadFile,
    EditedMessage,
    EditMessage,
    Keyboard,
    Nothing,
    SendDocument,
    SendMessage,
    SendPhoto,
    SentMessage,
    SetCommands,
    SetWebhook,
    WebhookState,
)
from modules.telegram.config import BotSettings
from modules.telegram.integration_bot_errors import fault_of, is_gone, is_late, is_unchanged, is_without_thread
from modules.telegram.method_ids import (
    BOT_ACTION,
    BOT_ANSWER,
    BOT_DELETE,
    BOT_DELETE_WEBHOOK,
    BOT_DOWNLOAD,
    BOT_EDIT,
    BOT_ME,
    BOT_SEND,
    BOT_SEND_DOCUMENT,
    BOT_SEND_PHOTO,
    BOT_SET_COMMANDS,
    BOT_SET_WEBHOOK,
    BOT_WEBHOOK,
)
from modules.telegram.request import FILES, METHODS, AiohttpRequest
from modules.telegram.text import Entity

T = TypeVar("T")

UPDATE_KINDS = ("message", "edited_message", "callback_query")
POLL_MARGIN_S = 10
UPLOAD_TIMEOUT_S = 120.0
LONGEST_REASON = 200
_TOKEN = re.compile(r"\d+:[\w-]+")
_NO_PREVIEW = LinkPreviewOptions(is_disabled=True)


class TelegramBotApi(BaseIntegration):
    """The Bot API's methods, and the source's long poll (the one call outside `call()`)."""

    provider = "telegram_bot_api"

    def __init__(
        self,
        settings: BotSettings,
        vault: Vault,
        blobs: BlobStore,
        probe: CallProbe | None = None,
        *,
        hook_secret: Callable[[], str] = lambda: "",
    ) -> None:
        """`hook_secret` returns the secret that Telegram sends with every update to a webhook."""
        self._settings = settings
        self._hook_secret = hook_secret
        self._vault = vault
        self._blobs = blobs
        self._bot: Bot | None = None
        super().__init__(probe)

    def methods(self) -> list[Method]:
        none, state, read = Idempotency.NONE, Idempotency.STATE, Idempotency.READ
        return [
            method(BOT_SEND, args=SendMessage, answer=SentMessage, run=self._raw_send, idempotency=none),
            method(
                BOT_SEND_DOCUMENT, args=SendDocument, answer=SentMessage, run=self._raw_send_document, idempotency=none
            ),
            method(BOT_SEND_PHOTO, args=SendPhoto, answer=SentMessage, run=self._raw_send_photo, idempotency=none),
            method(BOT_EDIT, args=EditMessage, answer=EditedMessage, run=self._raw_edit, idempotency=state),
            method(BOT_DELETE, args=DeleteMessage, answer=EditedMessage, run=self._raw_delete, idempotency=state),
            method(BOT_ANSWER, args=AnswerQuery, answer=AnsweredQuery, run=self._raw_answer, idempotency=state),
            method(BOT_ACTION, args=ChatAction, answer=Nothing, run=self._raw_action, idempotency=state),
            method(BOT_SET_COMMANDS, args=SetCommands, answer=Nothing, run=self._raw_set_commands, idempotency=state),
            method(BOT_DOWNLOAD, args=DownloadFile, answer=DownloadedFile, run=self._raw_download, idempotency=read),
            method(BOT_ME, args=Nothing, answer=BotUser, run=self._raw_me, idempotency=read),
            method(BOT_WEBHOOK, args=Nothing, answer=WebhookState, run=self._raw_webhook, idempotency=read),
            method(BOT_SET_WEBHOOK, args=SetWebhook, answer=Nothing, run=self._raw_set_webhook, idempotency=state),
            method(BOT_DELETE_WEBHOOK, args=Nothing, answer=Nothing, run=self._raw_delete_webhook, idempotency=state),
        ]

    @property
    def token_variable(self) -> str:
        """Return the name of the variable that holds the token, for messages."""
        return self._settings.token_env

    def bot_id(self) -> int:
        """Return the bot's user id, taken from its token; raise `ConfigError` if there is no token."""
        return int(self._token().partition(":")[0])

    async def auth_status(self) -> dict[str, Any]:
        result = await self.request("auth_status", BOT_ME, timeout_ms=15_000, retry_policy=READS)
        if result.data is not None:
            return {"ok": True, "account": f"@{result.data['username']}", "detail": "the token is valid", "todo": ""}
        assert result.error is not None
        wrong = result.error.code is IntegrationErrorCode.AUTH_REQUIRED
        todo = f"Set {self.token_variable}." if wrong else "Check the network."
        return {"ok": False, "account": "", "detail": result.error.message, "todo": todo}

    async def poll_updates(self, offset: int | None, timeout_s: int) -> list[dict[str, Any]]:
        """Wait for updates from `offset` on, which confirms all earlier ones. Raise `TelegramError`, `ConfigError`.

        The updates stay as Telegram's JSON: most of their fields are never used.
        """
        query: dict[str, Any] = {"timeout": timeout_s, "allowed_updates": json.dumps(UPDATE_KINDS)}
        if offset is not None:
            query["offset"] = offset
        self._token()
        request = self._opened().request
        answer = await request.post(f"{METHODS}/getUpdates?{urlencode(query)}", read_timeout=timeout_s + POLL_MARGIN_S)
        return cast("list[dict[str, Any]]", answer)

    async def close(self) -> None:
        """Close the connections."""
        if self._bot is not None:
            await self._bot.request.shutdown()

    async def _raw_send(self, _call: IntegrationCall, args: SendMessage) -> RawAnswer:
        async def send(chat_id: int | str, thread_id: int | None) -> Message:
            return await self._opened().send_message(
                chat_id,
                args.text,
                entities=_entities(args.entities),
                reply_markup=_keyboard(args.buttons),
                message_thread_id=thread_id,
                link_preview_options=_NO_PREVIEW,
                reply_parameters=_reply(args.reply_to),
            )

        return await self._sent(send, args.chat_id, args.thread_id)

    async def _raw_send_document(self, _call: IntegrationCall, args: SendDocument) -> RawAnswer:
        document = await self._stored(args.sha256, args.name)

        async def send(chat_id: int | str, thread_id: int | None) -> Message:
            return await self._opened().send_document(
                chat_id,
                document,
                caption=args.caption or None,
                caption_entities=_entities(args.entities),
                reply_markup=_keyboard(args.buttons),
                message_thread_id=thread_id,
                reply_parameters=_reply(args.reply_to),
                disable_content_type_detection=True,
                read_timeout=UPLOAD_TIMEOUT_S,
            )

        return await self._sent(send, args.chat_id, args.thread_id)

    async def _raw_send_photo(self, _call: IntegrationCall, args: SendPhoto) -> RawAnswer:
        photo = await self._stored(args.sha256, args.name)

        async def send(chat_id: int | str, thread_id: int | None) -> Message:
            return await self._opened().send_photo(
                chat_id,
                photo,
                message_thread_id=thread_id,
                reply_parameters=_reply(args.reply_to),
                read_timeout=UPLOAD_TIMEOUT_S,
            )

        return await self._sent(send, args.chat_id, args.thread_id)

    async def _stored(self, sha256: str, name: str) -> InputFile:
        try:
            content = await self._blobs.get(sha256)
        except KeyError:
            raise IntegrationFault(IntegrationErrorCode.INVALID_INPUT, say("there is no such stored file")) from None
        return InputFile(content, filename=safe_file_name(name))

    async def _sent(
        self, send: Callable[[int | str, int | None], Awaitable[Message]], chat_id: int | str, thread_id: int | None
    ) -> RawAnswer:
        """Send; retry once if Telegram gives the chat's new id, or says that the topic does not exist."""
        try:
            try:
                message = await send(chat_id, thread_id)
            except ChatMigrated as moved:
                thread_id = None
                message = await send(moved.new_chat_id, None)
            except BadRequest as error:
                if thread_id is None or not is_without_thread(error):
                    raise
                thread_id = None
                message = await send(chat_id, None)
        except TelegramError as error:
            raise self._fault(error) from None
        sent = SentMessage(chat_id=message.chat_id, message_id=message.message_id, thread_id=thread_id)
        return RawAnswer(sent.model_dump(), provider_request_id=str(message.message_id))

    async def _raw_edit(self, _call: IntegrationCall, args: EditMessage) -> RawAnswer:
        edit = self._opened().edit_message_text(
            args.text,
            chat_id=args.chat_id,
            message_id=args.message_id,
            entities=_entities(args.entities),
            reply_markup=_keyboard(args.buttons),
            link_preview_options=_NO_PREVIEW,
        )
        return await self._changed(edit)

    async def _raw_delete(self, _call: IntegrationCall, args: DeleteMessage) -> RawAnswer:
        return await self._changed(self._opened().delete_message(args.chat_id, args.message_id))

    async def _changed(self, change: Awaitable[object]) -> RawAnswer:
        """Edit a message; `gone` if it no longer exists."""
        try:
            await change
        except ChatMigrated:
            return RawAnswer({"gone": True})
        except BadRequest as error:
            if is_unchanged(error):
                return RawAnswer({"gone": False})
            if is_gone(error):
                return RawAnswer({"gone": True})
            raise self._fault(error) from None
        except TelegramError as error:
            raise self._fault(error) from None
        return RawAnswer({"gone": False})

    async def _raw_answer(self, _call: IntegrationCall, args: AnswerQuery) -> RawAnswer:
        try:
            await self._opened().answer_callback_query(args.query, text=args.text or None, show_alert=args.alert)
        except BadRequest as error:
            if is_late(error):
                return RawAnswer({"late": True})
            raise self._fault(error) from None
        except TelegramError as error:
            raise self._fault(error) from None
        return RawAnswer({"late": False})

    async def _raw_action(self, _call: IntegrationCall, args: ChatAction) -> RawAnswer:
        await self._clean(self._opened().send_chat_action(args.chat_id, "typing", message_thread_id=args.thread_id))
        return RawAnswer({})

    async def _raw_set_commands(self, _call: IntegrationCall, args: SetCommands) -> RawAnswer:
        commands = [BotCommand(command.name, command.description) for command in args.commands]
        await self._clean(self._opened().set_my_commands(commands))
        return RawAnswer({})

    async def _raw_download(self, _call: IntegrationCall, args: DownloadFile) -> RawAnswer:
        bot = self._opened()
        file = await self._clean(bot.get_file(args.file_id))
        if not file.file_path:
            raise IntegrationFault(IntegrationErrorCode.NOT_FOUND, say("Telegram no longer has this file"))
        content = await self._clean(bot.request.retrieve(file.file_path, read_timeout=30.0))
        return RawAnswer({"sha256": await self._blobs.put(content), "size": len(content)})

    async def _raw_me(self, _call: IntegrationCall, _args: Nothing) -> RawAnswer:
        user = await self._clean(self._opened().get_me())
        return RawAnswer({"id": user.id, "username": user.username or "", "name": user.full_name})

    async def _raw_webhook(self, _call: IntegrationCall, _args: Nothing) -> RawAnswer:
        info = await self._clean(self._opened().get_webhook_info())
        return RawAnswer(
            {
                "url": info.url,
                "pending": info.pending_update_count,
                "failed_at": info.last_error_date,
                "failed_with": (info.last_error_message or "")[:LONGEST_REASON],
            }
        )

    async def _raw_set_webhook(self, _call: IntegrationCall, args: SetWebhook) -> RawAnswer:
        await self._clean(
            self._opened().set_webhook(
                args.url,
                max_connections=args.max_connections,
                allowed_updates=UPDATE_KINDS,
                secret_token=self._hook_secret(),
            )
        )
        return RawAnswer({})

    async def _raw_delete_webhook(self, _call: IntegrationCall, _args: Nothing) -> RawAnswer:
        # Pending updates are left to the poll that follows.
        await self._clean(self._opened().delete_webhook())
        return RawAnswer({})

    async def _clean(self, answer: Awaitable[T]) -> T:
        try:
            return await answer
        except TelegramError as error:
            raise self._fault(error) from None

    def _fault(self, error: TelegramError) -> IntegrationFault:
        return fault_of(error, self.token_variable)

    def _opened(self) -> Bot:
        if self._bot is None:
            try:
                token = self._token()
            except ConfigError as error:
                raise IntegrationFault(IntegrationErrorCode.AUTH_REQUIRED, error.detail) from None
            request = AiohttpRequest(self._settings.api_base_url, token)
            # The library gets neither token nor address, so that it can log neither; `initialize()` would use the
            # network and fail without it.
            self._bot = Bot(
                f"{self.bot_id()}:kept-by-the-request",
                base_url=lambda _: METHODS,
                base_file_url=lambda _: FILES,
                request=request,
                get_updates_request=request,
            )
        return self._bot

    def _token(self) -> str:
        token = self._vault.get(self.token_variable)
        if not token:
            raise ConfigError(say("set {variable} to the bot's token from @BotFather", variable=self.token_variable))
        if not _TOKEN.fullmatch(token):
            raise ConfigError(
                say("{variable} holds no bot token: copy it whole from @BotFather", variable=self.token_variable)
            )
        return token


def safe_file_name(name: str) -> str:
    """Return a file's name without folders and without characters that a header cannot hold; never empty."""
    last = re.split(r"[/\\]", name)[-1]
    return re.sub(r'[\x00-\x1f\x7f"]', "_", last).strip(" .")[-120:] or "file"


def _entities(entities: tuple[Entity, ...]) -> list[MessageEntity] | None:
    return [MessageEntity(e.type, e.offset, e.length, url=e.url) for e in entities] or None


def _keyboard(buttons: Keyboard) -> InlineKeyboardMarkup | None:
    if not buttons:
        return None
    return InlineKeyboardMarkup([[InlineKeyboardButton(b.label, callback_data=b.data) for b in row] for row in buttons])


def _reply(message_id: int | None) -> ReplyParameters | None:
    # A reply to a message that was deleted meanwhile is still sent.
    return None if message_id is None else ReplyParameters(message_id, allow_sending_without_reply=True)
