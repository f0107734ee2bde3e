"""The person's Gmail as a provider: search and read, and a send in two steps that survives a crash between them.

A draft is created, its id stored, and then sent: the draft's fate tells later whether the mail went out.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from butler.contract.errors import Effect, IntegrationErrorCode, IntegrationFault
from butler.contract.integration import (
    AuthStatus,
    BaseIntegration,
    CallProbe,
    Idempotency,
    IntegrationCall,
    Method,
    RawAnswer,
    method,
)
from butler.contract.ports import BlobStore
from modules.email.compose import CALL_MARK
from modules.email.config import GmailSettings
from modules.email.integration_gmail_client import GmailClient

PROFILE = "gmail.account.profile.v1"
LIST = "gmail.messages.list.v1"
GET = "gmail.messages.get.v1"
CREATE_DRAFT = "gmail.drafts.create.v1"
FIND_DRAFT = "gmail.drafts.find.v1"
GET_DRAFT = "gmail.drafts.get.v1"
DELETE_DRAFT = "gmail.drafts.delete.v1"
SEND_DRAFT = "gmail.drafts.send.v1"

_SCOPES = ("https://www.googleapis.com/auth/gmail.modify",)
_SHOWN = ("From", "To", "Cc", "Subject", "Date", "Message-ID", "In-Reply-To", "References", CALL_MARK)
_MOST_DRAFTS = 20


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Nothing(_Record):
    """No arguments, or no answer."""


class Profile(_Record):
    address: str


class ListArgs(_Record):
    """One page; the next one by the call's cursor."""

    query: str = ""
    page_size: int = Field(default=100, ge=1, le=500)


class Listed(_Record):
    """Ids, newest first."""

    ids: list[str]


class GetArgs(_Record):
    id: str = Field(pattern=r"^[A-Za-z0-9_-]+$")
    whole: bool = False


class Got(_Record):
    """A mail; its bytes (all of them, or the headers that a list shows) are in the result's `raw`."""

    id: str
    thread_id: str
    labels: list[str]
    received_at: AwareDatetime
    size: int


class DraftArgs(_Record):
    """The mail is a blob, so that what left is kept. Gmail takes the recipients from its headers, Bcc too."""

    raw: str


class DraftId(_Record):
    draft_id: str


class FindDraftArgs(_Record):
    """By our own mark of the call."""

    token: str


class FoundDraft(_Record):
    draft_id: str


class Sent(_Record):
    id: str
    thread_id: str


class GmailIntegration(BaseIntegration):
    """One Gmail account."""

    provider = "gmail"

    def __init__(
        self,
        settings: GmailSettings,
        secrets: Mapping[str, str],
        blobs: BlobStore,
        probe: CallProbe | None = None,
    ) -> None:
        self._settings = settings
        self._secrets = secrets
        self._blobs = blobs
        self._client: GmailClient | None = None
        super().__init__(probe)

    def methods(self) -> list[Method]:
        reads = Idempotency.READ
        return [
            self._method(PROFILE, Nothing, Profile, self._raw_profile, reads),
            self._method(LIST, ListArgs, Listed, self._raw_list, reads),
            self._method(GET, GetArgs, Got, self._raw_get, reads),
            self._method(CREATE_DRAFT, DraftArgs, DraftId, self._raw_create_draft, Idempotency.NONE),
            self._method(FIND_DRAFT, FindDraftArgs, FoundDraft, self._raw_find_draft, reads),
            self._method(GET_DRAFT, DraftId, DraftId, self._raw_get_draft, reads),
            self._method(DELETE_DRAFT, DraftId, Nothing, self._raw_delete_draft, Idempotency.STATE),
            self._method(SEND_DRAFT, DraftId, Sent, self._raw_send_draft, Idempotency.STATE),
        ]

    @staticmethod
    def _method(
        method_id: str,
        args: type[BaseModel],
        answer: type[BaseModel],
        run: Callable[[IntegrationCall, Any], Any],
        idempotency: Idempotency,
    ) -> Method:
        return method(method_id, args=args, answer=answer, run=run, idempotency=idempotency, auth_scopes=_SCOPES)

    async def auth_status(self) -> dict[str, Any]:
        result = await self.call(IntegrationCall(trace_id="auth-status", method_id=PROFILE, args={}))
        status = AuthStatus(result.ok)
        if result.data is not None:
            status.account = result.data["address"]
        if result.error is not None:
            status.detail = result.error.message
            status.todo = "make new Gmail credentials (docs/how-to/connect-mail.md)"
        return {"ok": status.ok, "account": status.account, "detail": status.detail, "todo": status.todo}

    def stop(self) -> None:
        """Let the threads end."""
        if self._client is not None:
            self._client.close()
            self._client = None

    async def _raw_profile(self, _: IntegrationCall, __: Nothing) -> RawAnswer:
        answer = await self._run(lambda users: users.getProfile(userId="me"))
        return RawAnswer({"address": answer["emailAddress"].lower()}, cost_units=1)

    async def _raw_list(self, call: IntegrationCall, args: ListArgs) -> RawAnswer:
        answer = await self._run(
            lambda users: users.messages().list(
                userId="me", q=args.query, maxResults=args.page_size, pageToken=call.cursor
            )
        )
        ids = [item["id"] for item in answer.get("messages", [])]
        return RawAnswer({"ids": ids}, next_cursor=answer.get("nextPageToken"), cost_units=5)

    async def _raw_get(self, _: IntegrationCall, args: GetArgs) -> RawAnswer:
        answer = await self._run(lambda users: _get(users, args))
        data = {
            "id": answer["id"],
            "thread_id": answer["threadId"],
            "labels": answer.get("labelIds", []),
            "received_at": datetime.fromtimestamp(int(answer["internalDate"]) / 1000, UTC),
            "size": answer.get("sizeEstimate", 0),
        }
        raw = urlsafe_b64decode(_padded(answer["raw"])) if args.whole else header_block(answer)
        return RawAnswer(data, raw=raw, cost_units=20)

    async def _raw_create_draft(self, _: IntegrationCall, args: DraftArgs) -> RawAnswer:
        raw = await self._blobs.get(args.raw)
        body = {"message": {"raw": urlsafe_b64encode(raw).decode()}}
        answer = await self._run(lambda users: users.drafts().create(userId="me", body=body))
        return RawAnswer({"draft_id": answer["id"]}, provider_request_id=answer["id"], cost_units=10)

    async def _raw_find_draft(self, _: IntegrationCall, args: FindDraftArgs) -> RawAnswer:
        listed = await self._run(lambda users: users.drafts().list(userId="me", maxResults=_MOST_DRAFTS))
        for draft in listed.get("drafts", []):
            answer = await self._run(
                lambda users, one=draft: users.drafts().get(userId="me", id=one["id"], format="metadata")
            )
            if marked(header_block(answer["message"]), args.token):
                return RawAnswer({"draft_id": draft["id"]})
        return RawAnswer({"draft_id": ""})

    async def _raw_get_draft(self, _: IntegrationCall, args: DraftId) -> RawAnswer:
        answer = await self._run(lambda users: users.drafts().get(userId="me", id=args.draft_id, format="minimal"))
        return RawAnswer({"draft_id": answer["id"]}, cost_units=5)

    async def _raw_delete_draft(self, _: IntegrationCall, args: DraftId) -> RawAnswer:
        await self._run(lambda users: users.drafts().delete(userId="me", id=args.draft_id))
        return RawAnswer({}, cost_units=10)

    async def _raw_send_draft(self, _: IntegrationCall, args: DraftId) -> RawAnswer:
        try:
            answer = await self._run(lambda users: users.drafts().send(userId="me", body={"id": args.draft_id}))
        except IntegrationFault as fault:
            if fault.code is IntegrationErrorCode.NOT_FOUND:
                # A draft is consumed by being sent, so one that is gone may well have been.
                fault.effect = Effect.UNKNOWN
            raise
        data = {"id": answer["id"], "thread_id": answer.get("threadId", "")}
        return RawAnswer(data, provider_request_id=answer["id"], cost_units=100)

    async def _run(self, build: Callable[[Any], Any]) -> dict[str, Any]:
        if self._client is None:
            name = self._settings.credentials_env
            credentials = self._secrets.get(name, "")
            if not credentials:
                raise IntegrationFault(
                    IntegrationErrorCode.AUTH_REQUIRED,
                    f"{name} is not set; make Gmail credentials for it (docs/how-to/connect-mail.md)",
                )
            self._client = GmailClient(credentials, self._settings.api_root)
        return await self._client.run(build)


def _get(users: Any, args: GetArgs) -> Any:
    if args.whole:
        return users.messages().get(userId="me", id=args.id, format="raw")
    return users.messages().get(userId="me", id=args.id, format="metadata", metadataHeaders=list(_SHOWN))


def _padded(text: str) -> str:
    return text + "=" * (-len(text) % 4)


def header_block(message: Mapping[str, Any]) -> bytes:
    """A message's headers as Gmail lists them, written as a mail without a body."""
    headers = message.get("payload", {}).get("headers", [])
    lines = [f"{item['name']}: {' '.join(str(item['value']).split())}" for item in headers]
    return "\r\n".join([*lines, "", ""]).encode("utf-8", "replace")


def marked(headers: bytes, token: str) -> bool:
    """Whether a header block bears our mark of this call."""
    return f"{CALL_MARK}: {token}".lower().encode() in headers.lower().split(b"\r\n")
