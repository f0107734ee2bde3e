"""The owner's Trello as a provider: boards, lists, cards, labels, members, and the log of actions."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC
from functools import wraps
from typing import Any

from butler.contract.base_integration import BaseIntegration
from butler.contract.errors import IntegrationErrorCode, IntegrationFault
from butler.contract.integration import Idempotency, IntegrationCall, Method, RawAnswer, RawMethod, auth_answer, method
from butler.contract.module import ModuleContext
from butler.contract.speech import say
from modules.trello import records as r
from modules.trello.client import OF_MEMBERS, UNREADABLE, TrelloClient
from modules.trello.config import TrelloSettings
from modules.trello.own_actions import OwnActionLog

LOGIN = "butler login trello"
_FIELDS = "name,idBoard,idList,pos,closed,due,dueComplete,labels,idMembers,shortUrl,dateLastActivity"
_READ, _STATE, _NONE = Idempotency.READ, Idempotency.STATE, Idempotency.NONE


class TrelloIntegration(BaseIntegration):
    """One account."""

    provider = "trello"

    def __init__(self, settings: TrelloSettings, context: ModuleContext, *, login: str = LOGIN) -> None:
        """`login` is the command that signs in to this account again."""
        self._login = login
        self._client = TrelloClient(settings, context.vault, login)
        self.known_me: r.Member | None = None
        """The owner, cached: Trello allows few requests about members."""
        self.own = OwnActionLog()
        super().__init__(context.probe)

    def methods(self) -> list[Method]:
        every = [
            self._method(r.ME, r.Nothing, r.Member, self._raw_me, _READ),
            self._method(r.BOARDS, r.Nothing, r.Boards, self._raw_boards, _READ),
            self._method(r.LABELS, r.ById, r.Labels, self._raw_labels, _READ),
            self._method(r.MEMBERS, r.ById, r.Members, self._raw_members, _READ),
            self._method(r.ACTIONS, r.ActionsArgs, r.Actions, self._raw_actions, _READ),
            self._method(r.LOG, r.LogArgs, r.Log, self._raw_log, _READ),
            self._method(r.LIST, r.ById, r.BoardList, self._raw_list, _READ),
            self._method(r.CARDS, r.CardsArgs, r.Cards, self._raw_cards, _READ),
            self._method(r.CARD, r.ByRef, r.Card, self._raw_card, _READ),
            self._method(r.COMMENTS, r.CommentsArgs, r.Comments, self._raw_comments, _READ),
            self._method(r.CREATE_CARD, r.CreateCardFields, r.Card, self._raw_create, _NONE),
            self._method(r.CHANGE_CARD, r.CardChange, r.Card, self._raw_change, _STATE),
            self._method(r.DELETE_CARD, r.ByRef, r.Nothing, self._raw_delete, _STATE),
            self._method(r.COMMENT, r.CommentArgs, r.Action, self._raw_comment, _NONE),
            self._method(r.PUT_ON, r.OnCard, r.Nothing, self._raw_put_on, _STATE),
            self._method(r.TAKE_OFF, r.OnCard, r.Nothing, self._raw_take_off, _STATE),
            self._method(r.CREATE_LIST, r.NewNamed, r.BoardList, self._raw_create_list, _NONE),
            self._method(r.CREATE_LABEL, r.NewLabel, r.Label, self._raw_create_label, _NONE),
        ]
        return [replace(one, run=_with_output_check(one.run)) for one in every]

    def _method(
        self, method_id: str, args: type[Any], answer: type[Any], run: RawMethod, idempotency: Idempotency
    ) -> Method:
        return method(
            method_id,
            args=args,
            answer=answer,
            run=run,
            idempotency=idempotency,
            auth_scopes=(r.READS if idempotency is _READ else r.WRITES,),
            rate_limit=OF_MEMBERS if method_id in {r.ME, r.BOARDS} else self._client.pace,
        )

    async def auth_status(self) -> dict[str, Any]:
        result = await self.request("auth", r.ME)
        username = str((result.data or {}).get("username", ""))
        return auth_answer(result.error, username, todo=f"run `{self._login}`")

    async def signed_in(self) -> None:
        """Use the credentials that the vault now holds."""
        self.known_me = None
        await self._client.close()

    async def stop(self) -> None:
        """Close the connections."""
        await self._client.close()

    # Boards

    async def _raw_me(self, _call: IntegrationCall, _args: r.Nothing) -> RawAnswer:
        me = _member(await self._client.get("members/me", fields="fullName,username"))
        self.known_me = r.Member.model_validate(me)
        return RawAnswer(me)

    async def _raw_boards(self, _call: IntegrationCall, _args: r.Nothing) -> RawAnswer:
        found = await self._client.get("members/me/boards", filter="open", fields="name,shortUrl", lists="open")
        boards = [
            {
                "id": one["id"],
                "name": one["name"],
                "url": one.get("shortUrl", ""),
                "lists": list(map(_list, one["lists"])),
            }
            for one in found
        ]
        return RawAnswer({"boards": boards})

    async def _raw_labels(self, _call: IntegrationCall, args: r.ById) -> RawAnswer:
        found = await self._client.get(f"boards/{args.id}/labels", fields="name,color", limit=r.MOST_LISTED)
        return RawAnswer({"labels": list(map(_label, found))})

    async def _raw_members(self, _call: IntegrationCall, args: r.ById) -> RawAnswer:
        found = await self._client.get(f"boards/{args.id}/members", fields="fullName,username")
        return RawAnswer({"members": list(map(_member, found))})

    async def _raw_actions(self, _call: IntegrationCall, args: r.ActionsArgs) -> RawAnswer:
        data = {"filter": args.kind, "since": args.since}
        query = {name: value for name, value in data.items() if value}
        found = await self._client.get(f"boards/{args.id}/actions", limit=args.limit, memberCreator="false", **query)
        return RawAnswer({"actions": list(map(_action, found))})

    async def _raw_log(self, _call: IntegrationCall, args: r.LogArgs) -> RawAnswer:
        since = {"since": args.since} if args.since else {}
        found = await self._client.get(f"boards/{args.id}/actions", limit=args.limit, memberCreator="true", **since)
        return RawAnswer({"deeds": list(map(_deed, found))})

    # Lists and labels

    async def _raw_list(self, _call: IntegrationCall, args: r.ById) -> RawAnswer:
        return RawAnswer(_list(await self._client.get(f"lists/{args.id}", fields="name,closed,idBoard")))

    async def _raw_create_list(self, _call: IntegrationCall, args: r.NewNamed) -> RawAnswer:
        fields = {"idBoard": args.board_id, "name": args.name, "pos": "bottom"}
        return RawAnswer(_list(await self._client.write("POST", "lists", fields)))

    async def _raw_create_label(self, _call: IntegrationCall, args: r.NewLabel) -> RawAnswer:
        fields = {"idBoard": args.board_id, "name": args.name, "color": args.colour}
        return RawAnswer(_label(await self._client.write("POST", "labels", fields)))

    # Cards

    async def _raw_cards(self, _call: IntegrationCall, args: r.CardsArgs) -> RawAnswer:
        fields = f"{_FIELDS},desc" if args.texts else _FIELDS
        ends = {name: at for name, when in (("since", args.since), ("before", args.before)) if (at := _moment(when))}
        found = await self._client.get(
            f"lists/{args.id}/cards", filter=args.filter, fields=fields, limit=args.limit, **ends
        )
        return RawAnswer({"cards": list(map(_card, found))})

    async def _raw_card(self, _call: IntegrationCall, args: r.ByRef) -> RawAnswer:
        nested = {"list": "true", "board": "true", "board_fields": "name"}
        found = await self._client.get(f"cards/{args.id}", fields=f"{_FIELDS},desc", **nested)
        return RawAnswer({**_card(found), "board_name": found["board"]["name"], "list_name": found["list"]["name"]})

    async def _raw_comments(self, _call: IntegrationCall, args: r.CommentsArgs) -> RawAnswer:
        found = await self._client.get(f"cards/{args.id}/actions", filter="commentCard", limit=args.limit)
        return RawAnswer({"comments": list(map(_comment, found))})

    async def _raw_create(self, _call: IntegrationCall, args: r.CreateCardFields) -> RawAnswer:
        fields = {
            "idList": args.list_id,
            "name": args.name,
            "desc": args.description,
            "pos": args.position,
            "idLabels": ",".join(args.labels),
            "idMembers": ",".join(args.members),
            "due": _moment(args.due),
        }
        made = _card(await self._client.write("POST", "cards", {k: v for k, v in fields.items() if v}))
        self.own.written(made["id"], made["activity"])
        return RawAnswer(made)

    async def _raw_change(self, _call: IntegrationCall, args: r.CardChange) -> RawAnswer:
        changed = _card(await self._client.write("PUT", f"cards/{args.id}", _changed(args)))
        self.own.written(changed["id"], changed["activity"])
        return RawAnswer(changed)

    async def _raw_delete(self, _call: IntegrationCall, args: r.ByRef) -> RawAnswer:
        await self._client.write("DELETE", f"cards/{args.id}")
        self.own.deleted(args.id)
        return RawAnswer({})

    async def _raw_comment(self, _call: IntegrationCall, args: r.CommentArgs) -> RawAnswer:
        value = await self._client.write("POST", f"cards/{args.id}/actions/comments", {"text": args.text})
        self.own.deed(value["id"])
        return RawAnswer(_action(value))

    async def _raw_put_on(self, _call: IntegrationCall, args: r.OnCard) -> RawAnswer:
        await self._client.write("POST", f"cards/{args.id}/{_KINDS[args.what]}", {"value": args.which})
        return RawAnswer({})

    async def _raw_take_off(self, _call: IntegrationCall, args: r.OnCard) -> RawAnswer:
        await self._client.write("DELETE", f"cards/{args.id}/{_KINDS[args.what]}/{args.which}")
        return RawAnswer({})


_KINDS = {"label": "idLabels", "member": "idMembers"}
_NAMES = {
    "name": "name",
    "description": "desc",
    "due": "due",
    "done": "dueComplete",
    "closed": "closed",
    "list_id": "idList",
    "board_id": "idBoard",
    "pos": "pos",
    "labels": "idLabels",
    "members": "idMembers",
}
"""Trello's name of each field of a card that can be changed."""


def _with_output_check(run: RawMethod) -> RawMethod:
    """Wrap a method so that an answer with missing or malformed fields becomes `INVALID_OUTPUT`."""

    @wraps(run)
    async def asked(call: IntegrationCall, args: Any) -> RawAnswer:
        try:
            return await run(call, args)
        except (KeyError, TypeError, AttributeError) as error:
            raise IntegrationFault(IntegrationErrorCode.INVALID_OUTPUT, say(UNREADABLE)) from error

    return asked


def _changed(args: r.CardChange) -> dict[str, Any]:
    data = args.model_dump(exclude_unset=True, exclude={"id"})
    data |= {name: ",".join(data[name]) for name in ("labels", "members") if name in data}
    if "due" in data:
        data["due"] = _moment(args.due)
    return {_NAMES[name]: value for name, value in data.items()}


def _moment(at: Any) -> str | None:
    return None if at is None else at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def _card(answer: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": answer["id"],
        "name": answer["name"],
        "board_id": answer["idBoard"],
        "list_id": answer["idList"],
        "pos": answer["pos"],
        "closed": answer["closed"],
        "due": answer["due"],
        "done": answer["dueComplete"],
        "labels": list(map(_label, answer["labels"])),
        "members": answer["idMembers"],
        "url": answer.get("shortUrl", ""),
        "description": answer.get("desc") or "",
        "activity": answer.get("dateLastActivity") or "",
    }


def _label(answer: Mapping[str, Any]) -> dict[str, Any]:
    return {"id": answer["id"], "name": answer["name"], "colour": answer.get("color") or ""}


def _list(answer: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": answer["id"],
        "name": answer["name"],
        "board_id": answer["idBoard"],
        "closed": answer.get("closed", False),
    }


def _member(answer: Mapping[str, Any]) -> dict[str, Any]:
    return {"id": answer["id"], "name": answer["fullName"], "username": answer["username"]}


def _action(answer: Mapping[str, Any]) -> dict[str, Any]:
    data: Mapping[str, Any] = answer.get("data", {})
    card, where = data.get("card", {}), data.get("list", {})
    return {
        "id": answer["id"],
        "member_id": answer["idMemberCreator"],
        "at": answer["date"],
        "card_id": card.get("id", ""),
        "card_name": card.get("name", ""),
        "list_id": where.get("id", ""),
        "list_name": where.get("name", ""),
        "text": data.get("text", ""),
        "link": card.get("shortLink", ""),
    }


def _deed(answer: Mapping[str, Any]) -> dict[str, Any]:
    data: Mapping[str, Any] = answer.get("data", {})
    card, where, old = data.get("card", {}), data.get("listAfter") or data.get("list", {}), data.get("old", {})
    by: Mapping[str, Any] = answer.get("memberCreator") or {}
    return {
        "id": answer["id"],
        "kind": answer["type"],
        "at": answer["date"],
        "by": by.get("fullName") or by.get("username") or "",
        "card_id": card.get("id", ""),
        "card_name": card.get("name", ""),
        "list_name": where.get("name", ""),
        "moved": "listAfter" in data,
        "closed": bool(card.get("closed")) if "closed" in old else None,
    }


def _comment(answer: Mapping[str, Any]) -> dict[str, Any]:
    by: Mapping[str, Any] = answer.get("memberCreator") or {}
    return {
        "id": answer["id"],
        "by": by.get("fullName") or by.get("username") or "",
        "at": answer["date"],
        "text": answer.get("data", {}).get("text", ""),
    }
