"""The owner's Gmail as a provider: reading in batches, the history of changes, and sending in two steps.

A mail is sent as a draft whose id is stored, and then by a call that sends that draft: after a crash between them, the
draft shows whether the mail was sent.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from pydantic import BaseModel

from butler.contract.base_integration import BaseIntegration
from butler.contract.errors import Effect, IntegrationErrorCode, IntegrationFault
from butler.contract.integration import (
    Idempotency,
    IntegrationCall,
    Method,
    RateLimitHint,
    RawAnswer,
    auth_answer,
    method,
)
from butler.contract.module import ModuleContext
from butler.contract.speech import phrase
from modules._accounts.google_account import GoogleAccount
from modules._accounts.google_budget import UnitBudget
from modules._accounts.google_client import Api, Build
from modules._accounts.google_errors import Product, SignIn
from modules.email.config import GmailSettings
from modules.email.gmail import requests
from modules.email.gmail.answers import HISTORY_TYPES, changes_of, got, header_block, marked
from modules.email.gmail.quota import UNITS
from modules.email.integration_gmail_records import (
    BATCH_MODIFY,
    CREATE_DRAFT,
    CREATE_LABEL,
    DELETE_DRAFT,
    FIND_DRAFT,
    GET,
    GET_DRAFT,
    GET_MANY,
    GET_THREADS,
    HISTORY,
    LABELS,
    LIST,
    LIST_THREADS,
    MODIFY,
    PROFILE,
    SEND_AS,
    SEND_DRAFT,
    STOP,
    WATCH,
    BatchModifyArgs,
    DraftArgs,
    DraftId,
    DraftRef,
    FindDraftArgs,
    GetArgs,
    GetManyArgs,
    GetThreadsArgs,
    Got,
    GotMany,
    GotThreads,
    HistoryArgs,
    HistoryPage,
    ListArgs,
    Listed,
    MailLabel,
    MailLabels,
    NewLabel,
    Nothing,
    Profile,
    SendAsList,
    Sent,
    ThreadsListed,
    WatchArgs,
    Watched,
)

LOGIN = "butler login gmail"
GMAIL = Api("gmail", "v1", lambda service: service.users())
PRODUCT = Product("Gmail", phrase("mail or draft"), "docs/how-to/connect-mail.md")
_MOST_DRAFTS = 20
_MAY_WORK_LATER = frozenset(
    {IntegrationErrorCode.RATE_LIMITED, IntegrationErrorCode.UNAVAILABLE, IntegrationErrorCode.TIMEOUT}
)


class GmailIntegration(BaseIntegration):
    """One Gmail account."""

    provider = "gmail"

    def __init__(self, settings: GmailSettings, context: ModuleContext, *, login: str = LOGIN) -> None:
        """`login` is the command that signs in to this account again."""
        self._blobs, self._login = context.storage.blobs, login
        self._per_minute = settings.units_per_minute
        name = f"units:{settings.credentials_env}"
        self._budget = UnitBudget(
            settings.units_per_minute, context.clock, notes=context.storage.cursors, name=name, product=PRODUCT.name
        )
        self._account = GoogleAccount(
            GMAIL,
            PRODUCT,
            api_root=settings.api_root,
            credentials=settings.credentials_env,
            vault=context.vault,
            clock=context.clock,
            login=login,
        )
        self._client = self._account.client
        super().__init__(context.probe)

    def methods(self) -> list[Method]:
        reads, state, none = Idempotency.READ, Idempotency.STATE, Idempotency.NONE
        return [
            self._method(PROFILE, Nothing, Profile, self._raw_profile, reads, "getProfile"),
            self._method(SEND_AS, Nothing, SendAsList, self._raw_send_as, reads, "sendAs.list"),
            self._method(WATCH, WatchArgs, Watched, self._raw_watch, state, "watch"),
            self._method(STOP, Nothing, Nothing, self._raw_stop, state, "stop"),
            self._method(HISTORY, HistoryArgs, HistoryPage, self._raw_history, reads, "history.list"),
            self._method(LIST, ListArgs, Listed, self._raw_list, reads, "messages.list"),
            self._method(GET, GetArgs, Got, self._raw_get, reads, "messages.get"),
            self._method(GET_MANY, GetManyArgs, GotMany, self._raw_get_many, reads, "messages.get"),
            self._method(LIST_THREADS, ListArgs, ThreadsListed, self._raw_list_threads, reads, "threads.list"),
            self._method(GET_THREADS, GetThreadsArgs, GotThreads, self._raw_get_threads, reads, "threads.get"),
            self._method(CREATE_DRAFT, DraftArgs, DraftRef, self._raw_create_draft, none, "drafts.create"),
            self._method(FIND_DRAFT, FindDraftArgs, DraftRef, self._raw_find_draft, reads, "drafts.list"),
            self._method(GET_DRAFT, DraftId, DraftRef, self._raw_get_draft, reads, "drafts.get"),
            self._method(DELETE_DRAFT, DraftId, Nothing, self._raw_delete_draft, state, "drafts.delete"),
            self._method(SEND_DRAFT, DraftId, Sent, self._raw_send_draft, state, "drafts.send"),
            self._method(LABELS, Nothing, MailLabels, self._raw_labels, reads, "labels.list"),
            self._method(CREATE_LABEL, NewLabel, MailLabel, self._raw_create_label, state, "labels.create"),
            self._method(BATCH_MODIFY, BatchModifyArgs, Nothing, self._raw_batch_modify, state, "messages.batchModify"),
        ]

    def _method(
        self,
        method_id: str,
        args: type[BaseModel],
        answer: type[BaseModel],
        run: Callable[[IntegrationCall, Any], Any],
        idempotency: Idempotency,
        operation: str,
    ) -> Method:
        each = " for each" if method_id in {GET_MANY, GET_THREADS} else ""
        return method(
            method_id,
            args=args,
            answer=answer,
            run=run,
            idempotency=idempotency,
            auth_scopes=(MODIFY,),
            rate_limit=RateLimitHint(calls=self._per_minute // UNITS[operation], per_s=60.0, shared=True),
            paged=method_id in {HISTORY, LIST, LIST_THREADS},
            cost_hint=f"{UNITS[operation]} quota units{each}",
        )

    async def auth_status(self) -> dict[str, Any]:
        result = await self.request("auth-status", PROFILE)
        return auth_answer(result.error, (result.data or {}).get("address", ""), todo=f"run `{self._login}`")

    @property
    def budget(self) -> UnitBudget:
        """The account's remaining quota."""
        return self._budget

    def signed_in(self) -> None:
        """Use the credentials now in the vault."""
        self._account.signed_in()

    def stop(self) -> None:
        """Stop the threads."""
        self._client.close()

    # Reading

    async def _raw_profile(self, _: IntegrationCall, __: Nothing) -> RawAnswer:
        answer = await self._ask("getProfile", requests.profile())
        data = {"address": answer["emailAddress"].lower(), "history_id": answer["historyId"]}
        return self._answer("getProfile", data)

    async def _raw_watch(self, _: IntegrationCall, args: WatchArgs) -> RawAnswer:
        answer = await self._ask("watch", requests.watch(args.topic))
        return self._answer("watch", {"until": datetime.fromtimestamp(int(answer["expiration"]) / 1000, UTC)})

    async def _raw_stop(self, _: IntegrationCall, __: Nothing) -> RawAnswer:
        await self._ask("stop", requests.stop())
        return self._answer("stop", {})

    async def _raw_send_as(self, _: IntegrationCall, __: Nothing) -> RawAnswer:
        answer = await self._ask("sendAs.list", requests.send_as())
        addresses = [
            {
                "address": one["sendAsEmail"].lower(),
                "name": one.get("displayName", ""),
                "verified": one.get("isPrimary", False) or one.get("verificationStatus") == "accepted",
                "primary": one.get("isPrimary", False),
            }
            for one in answer.get("sendAs", [])
        ]
        return self._answer("sendAs.list", {"addresses": sorted(addresses, key=lambda one: not one["primary"])})

    async def _raw_history(self, call: IntegrationCall, args: HistoryArgs) -> RawAnswer:
        kinds = [HISTORY_TYPES[kind] for kind in args.kinds]
        build = requests.history(args.start, kinds, args.page_size, call.cursor)
        answer = await self._ask("history.list", build, background=True)
        records = answer.get("history", [])
        data = {
            "changes": [change for record in records for change in changes_of(record)],
            "reached": records[-1]["id"] if records else args.start,
            "history_id": answer["historyId"],
        }
        return self._answer("history.list", data, next_cursor=answer.get("nextPageToken"))

    async def _raw_list(self, call: IntegrationCall, args: ListArgs) -> RawAnswer:
        build = requests.list_messages(args.query, args.labels, args.page_size, call.cursor)
        answer = await self._ask("messages.list", build, background=args.background)
        mails = [{"id": item["id"], "thread_id": item["threadId"]} for item in answer.get("messages", [])]
        return self._answer("messages.list", {"mails": mails}, next_cursor=answer.get("nextPageToken"))

    async def _raw_get(self, _: IntegrationCall, args: GetArgs) -> RawAnswer:
        build = requests.get_message(args.id) if args.whole else requests.get_headers(args.id)
        answer = await self._ask("messages.get", build, background=args.background)
        raw = urlsafe_b64decode(_padded(answer["raw"])) if args.whole else header_block(answer)
        return self._answer("messages.get", got(answer), raw=raw)

    async def _raw_get_many(self, _: IntegrationCall, args: GetManyArgs) -> RawAnswer:
        builds = [requests.get_headers(one) for one in args.ids]
        answers = await self._ask_many("messages.get", builds, background=args.background)
        mails: list[dict[str, Any]] = []
        missing: list[str] = []
        left: list[str] = []
        headers: dict[str, bytes] = {}
        for one, answer in zip(args.ids, answers, strict=True):
            if not isinstance(answer, IntegrationFault):
                mails.append(got(answer))
                headers[one] = header_block(answer)
            elif answer.code is IntegrationErrorCode.NOT_FOUND:
                missing.append(one)
            else:
                left.append(one)
        data = {"mails": mails, "missing": missing, "left": left}
        return self._answer("messages.get", data, times=len(args.ids), raw=headers)

    async def _raw_list_threads(self, call: IntegrationCall, args: ListArgs) -> RawAnswer:
        answer = await self._ask("threads.list", requests.list_threads(args.query, args.page_size, call.cursor))
        ids = [item["id"] for item in answer.get("threads", [])]
        return self._answer("threads.list", {"ids": ids}, next_cursor=answer.get("nextPageToken"))

    async def _raw_get_threads(self, _: IntegrationCall, args: GetThreadsArgs) -> RawAnswer:
        builds = [requests.get_thread(one) for one in args.ids]
        answers = await self._ask_many("threads.get", builds)
        threads = [answer for answer in answers if not isinstance(answer, IntegrationFault)]
        data = {
            "threads": [{"id": one["id"], "mails": [got(mail) for mail in one.get("messages", [])]} for one in threads],
            "left": [
                one
                for one, answer in zip(args.ids, answers, strict=True)
                if isinstance(answer, IntegrationFault) and answer.code in _MAY_WORK_LATER
            ],
        }
        raw = {mail["id"]: header_block(mail) for one in threads for mail in one.get("messages", [])}
        return self._answer("threads.get", data, times=len(args.ids), raw=raw)

    # Drafts and sending

    async def _raw_create_draft(self, _: IntegrationCall, args: DraftArgs) -> RawAnswer:
        raw = await self._blobs.get(args.raw)
        message = {"raw": urlsafe_b64encode(raw).decode()} | ({"threadId": args.thread_id} if args.thread_id else {})
        answer = await self._ask("drafts.create", requests.create_draft(message))
        return self._answer("drafts.create", _draft(answer), provider_request_id=answer["id"])

    async def _raw_find_draft(self, _: IntegrationCall, args: FindDraftArgs) -> RawAnswer:
        listed = await self._ask("drafts.list", requests.list_drafts(_MOST_DRAFTS))
        ids = [draft["id"] for draft in listed.get("drafts", [])]
        builds = [requests.get_draft(one) for one in ids]
        for answer in await self._ask_many("drafts.get", builds) if builds else ():
            if isinstance(answer, IntegrationFault):
                if answer.code in _MAY_WORK_LATER:
                    raise answer
            elif marked(header_block(answer["message"]), args.token):
                return self._answer("drafts.list", _draft(answer))
        return self._answer("drafts.list", {"draft_id": "", "message_id": ""})

    async def _raw_get_draft(self, _: IntegrationCall, args: DraftId) -> RawAnswer:
        answer = await self._ask("drafts.get", requests.get_draft(args.draft_id))
        return self._answer("drafts.get", _draft(answer))

    async def _raw_delete_draft(self, _: IntegrationCall, args: DraftId) -> RawAnswer:
        await self._ask("drafts.delete", requests.delete_draft(args.draft_id))
        return self._answer("drafts.delete", {})

    async def _raw_send_draft(self, _: IntegrationCall, args: DraftId) -> RawAnswer:
        try:
            answer = await self._ask("drafts.send", requests.send_draft(args.draft_id))
        except IntegrationFault as fault:
            if fault.code is IntegrationErrorCode.NOT_FOUND:
                # Sending consumes a draft, so a missing one may well have been sent.
                fault.effect = Effect.UNKNOWN
            raise
        data = {"id": answer["id"], "thread_id": answer.get("threadId", "")}
        return self._answer("drafts.send", data, provider_request_id=answer["id"])

    # Labels

    async def _raw_labels(self, _: IntegrationCall, __: Nothing) -> RawAnswer:
        answer = await self._ask("labels.list", requests.labels(), background=True)
        return self._answer("labels.list", {"labels": [_label(one) for one in answer.get("labels", [])]})

    async def _raw_create_label(self, _: IntegrationCall, args: NewLabel) -> RawAnswer:
        answer = await self._ask("labels.create", requests.create_label(args.name), background=True)
        return self._answer("labels.create", _label(answer))

    async def _raw_batch_modify(self, _: IntegrationCall, args: BatchModifyArgs) -> RawAnswer:
        build = requests.batch_modify(args.ids, args.add, args.remove)
        await self._ask("messages.batchModify", build, background=True)
        return self._answer("messages.batchModify", {})

    # Requests

    async def _ask(self, operation: str, build: Build, *, background: bool = False) -> dict[str, Any]:
        await self._budget.spend(UNITS[operation], background=background)
        return await self._with_token(lambda token, sign_in: self._client.run(build, token, sign_in))

    async def _ask_many(
        self, operation: str, builds: Sequence[Build], *, background: bool = False
    ) -> list[dict[str, Any] | IntegrationFault]:
        """Return the answers, and the faults of single requests. Raise the fault if none was or can be answered."""
        await self._budget.spend(UNITS[operation] * len(builds), background=background)
        answers: list[dict[str, Any] | IntegrationFault] = await self._with_token(
            lambda token, sign_in: self._client.run_many(builds, token, sign_in)
        )
        faults = [answer for answer in answers if isinstance(answer, IntegrationFault)]
        for fault in faults:
            self._note(fault)
            if fault.code is not IntegrationErrorCode.NOT_FOUND and fault.code not in _MAY_WORK_LATER:
                raise fault
        later = [fault for fault in faults if fault.code in _MAY_WORK_LATER]
        if later and len(later) == len(answers):
            raise later[0]
        return answers

    async def _with_token(self, send: Callable[[str, SignIn], Any]) -> Any:
        try:
            answer = await self._account.send(send)
        except IntegrationFault as fault:
            self._note(fault)
            raise
        self._budget.accepted()
        return answer

    def _note(self, fault: IntegrationFault) -> None:
        if fault.code is IntegrationErrorCode.RATE_LIMITED:
            fault.retry_after_s = self._budget.refused(fault.retry_after_s, fault.message)

    def _answer(self, operation: str, data: dict[str, Any], *, times: int = 1, **meta: Any) -> RawAnswer:
        cost = UNITS[operation] * times
        return RawAnswer(data, cost_units=cost, rate_limit_remaining=self._budget.left, **meta)


def _label(answer: dict[str, Any]) -> dict[str, Any]:
    return {"id": answer["id"], "name": answer["name"], "own": answer.get("type") != "system"}


def _draft(answer: dict[str, Any]) -> dict[str, str]:
    return {"draft_id": answer["id"], "message_id": answer["message"]["id"]}


def _padded(text: str) -> str:
    return text + "=" * (-len(text) % 4)
