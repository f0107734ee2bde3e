"""What each method of each provider publishes of itself is true: scopes, pace, units, and what it does."""

import inspect
import json
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any

import pytest

from butler.contract.base_integration import BaseIntegration
from butler.contract.integration import Capability, Idempotency, Method, MethodSpec
from butler.offline import example_modules
from modules._accounts.oauth_login import OF_TOKENS
from modules.calendar.records import SCOPES as CALENDAR_SCOPES
from modules.drive.integration_google_drive import Units
from modules.drive.records import READONLY
from modules.email.config import UserServerSettings
from modules.email.gmail.quota import UNITS
from modules.email.imap.account import MailAccount
from modules.email.integration_gmail_records import MODIFY
from modules.livekit.integration_livekit import CREATES, LISTS
from modules.trello.client import OF_MEMBERS
from modules.trello.records import SCOPES as TRELLO_SCOPES

REQUESTED = {
    "calendar": set(CALENDAR_SCOPES),
    "drive": {READONLY},
    "gmail": {MODIFY},
    "trello": set(TRELLO_SCOPES),
    "livekit": {CREATES, LISTS},
}
"""What the sign-ins ask for, by provider; of others nothing is asked but a key or a password."""
GOOGLE: dict[str, tuple[str, ...]] = {
    "calendar.calendars.list.v1": ("calendarList.list",),
    "calendar.events.list.v1": ("events.list",),
    "calendar.events.changes.v1": ("events.list",),
    "calendar.channels.open.v1": ("events.watch",),
    "calendar.channels.close.v1": ("channels.stop",),
    "calendar.events.get.v1": ("events.get",),
    "calendar.events.insert.v1": ("events.insert",),
    "calendar.events.patch.v1": ("events.patch",),
    "calendar.events.delete.v1": ("events.delete",),
    "calendar.events.move.v1": ("events.move",),
    "drive.about.get.v1": ("about.get",),
    "drive.files.search.v1": ("files.list",),
    "drive.files.get.v1": ("files.get",),
    "drive.folders.list.v1": ("files.list",),
    "drive.changes.start.v1": ("changes.getStartPageToken",),
    "drive.changes.list.v1": ("changes.list",),
    "drive.channels.open.v1": ("changes.getStartPageToken", "changes.watch"),
    "drive.channels.close.v1": ("channels.stop",),
    "drive.files.recent.v1": ("files.list",),
    "drive.files.newest.v1": ("files.list",),
    "drive.files.download.v1": ("files.get", "files.export"),
    "gmail.account.profile.v1": ("users.getProfile",),
    "gmail.account.send_as.v1": ("users.settings.sendAs.list",),
    "gmail.account.watch.v1": ("users.watch",),
    "gmail.account.stop.v1": ("users.stop",),
    "gmail.history.list.v1": ("users.history.list",),
    "gmail.messages.list.v1": ("users.messages.list",),
    "gmail.messages.get.v1": ("users.messages.get",),
    "gmail.messages.get_many.v1": ("users.messages.get",),
    "gmail.threads.list.v1": ("users.threads.list",),
    "gmail.threads.get_many.v1": ("users.threads.get",),
    "gmail.drafts.create.v1": ("users.drafts.create",),
    "gmail.drafts.find.v1": ("users.drafts.list",),
    "gmail.drafts.get.v1": ("users.drafts.get",),
    "gmail.drafts.delete.v1": ("users.drafts.delete",),
    "gmail.drafts.send.v1": ("users.drafts.send",),
    "gmail.labels.list.v1": ("users.labels.list",),
    "gmail.labels.create.v1": ("users.labels.create",),
    "gmail.messages.batch_modify.v1": ("users.messages.batchModify",),
}
"""Google's own operations behind each method."""
VERSIONS = {"calendar": "v3", "drive": "v3", "gmail": "v1"}


@cache
def every() -> tuple[tuple[BaseIntegration, Method], ...]:
    found: dict[str, tuple[BaseIntegration, Method]] = {}
    for module in example_modules():
        for one in module.integrations():
            found |= {method.spec.method_id: (one, method) for method in one.methods()}
    return tuple(found.values())


def of(provider: str) -> Iterator[MethodSpec]:
    return (method.spec for _, method in every() if method.spec.provider == provider)


def test_there_are_methods_to_look_at() -> None:
    assert len(every()) > 100
    assert {method.spec.provider for _, method in every()} > set(REQUESTED)


@pytest.mark.parametrize("provider", sorted(REQUESTED))
def test_scopes_together_are_those_that_the_sign_in_asks_for(provider: str) -> None:
    assert {scope for spec in of(provider) for scope in spec.auth_scopes} == REQUESTED[provider]


def test_where_nothing_is_asked_for_there_are_no_scopes() -> None:
    """A mailbox may be signed in to by OAuth, which is looked at below."""
    others = [method.spec for _, method in every() if method.spec.provider not in {*REQUESTED, "smtp_imap"}]
    assert [spec.method_id for spec in others if spec.auth_scopes] == []


@cache
def operations(api: str) -> dict[str, Any]:
    """Google's published description: its methods by name."""
    path = files("googleapiclient") / "discovery_cache" / "documents" / f"{api}.{VERSIONS[api]}.json"
    found: dict[str, Any] = {}

    def walk(part: dict[str, Any]) -> None:
        for method in part.get("methods", {}).values():
            found[method["id"].partition(".")[2]] = method
        for inner in part.get("resources", {}).values():
            walk(inner)

    walk(json.loads(path.read_text("utf-8")))
    return found


@pytest.mark.parametrize("provider", sorted(VERSIONS))
def test_google_takes_each_scope_for_each_operation_by_its_published_description(provider: str) -> None:
    specs = list(of(provider))
    assert {spec.method_id for spec in specs} == {name for name in GOOGLE if name.startswith(f"{provider}.")}
    for spec in specs:
        for name in GOOGLE[spec.method_id]:
            assert set(spec.auth_scopes) <= set(operations(provider)[name]["scopes"]), spec.method_id


def test_a_mailbox_signed_in_to_by_oauth_needs_what_each_protocol_needs() -> None:
    settings = UserServerSettings.model_validate(
        {
            "provider": "smtp_imap",
            "imap": "imaps://x.example",
            "smtp": "smtps://x.example",
            "auth": "xoauth2",
            "client_id": "an-application",
        }
    )
    account = MailAccount(settings, lambda _name: "")
    reads, sends = account.scopes(smtp=False), account.scopes(smtp=True)
    assert {*reads, *sends} | OF_TOKENS >= set(settings.scopes)
    assert (reads, sends) == ((settings.scopes[0],), (settings.scopes[1],))
    assert MailAccount(settings.model_copy(update={"auth": "password"}), lambda _name: "").scopes(smtp=True) == ()


def test_the_pace_that_is_published_is_the_one_that_is_kept() -> None:
    shared = {"gmail", "calendar", "trello"}
    for one, method in every():
        hint, spec = method.spec.rate_limit_hint, method.spec
        limiter = one._door._limits.get(spec.method_id)
        assert (limiter._hint if limiter else None) == (hint if hint and not hint.shared else None), spec.method_id
        assert (hint is not None and hint.shared) == (spec.provider in shared), spec.method_id
        if spec.provider in {"gmail", "calendar"} and hint is not None:
            units = int(spec.cost_hint.split()[0]) if spec.cost_hint else 1
            assert (hint.calls, hint.per_s) == (one._budget._most // units, 60.0)
        if spec.provider == "trello" and hint is not None:
            kept = one._client._members if hint == OF_MEMBERS else one._client._pace
            assert kept._hint == hint


def test_units_are_published_where_a_provider_counts_them() -> None:
    costs = {spec.cost_hint.partition(" ")[0] for spec in of("drive")}
    assert costs == {str(units.value) for units in Units}
    for spec in of("gmail"):
        (operation,) = GOOGLE[spec.method_id]
        name = operation.removeprefix("users.").removeprefix("settings.")
        each = " for each" if spec.method_id.endswith("_many.v1") else ""
        assert spec.cost_hint == f"{UNITS[name]} quota units{each}"
    others = [method.spec for _, method in every() if method.spec.provider not in {"gmail", "drive"}]
    assert [spec.method_id for spec in others if spec.cost_hint] == []


def test_what_a_method_can_is_what_it_does() -> None:
    for _, method in every():
        spec, source = method.spec, inspect.getsource(inspect.unwrap(method.run))
        does = Capability.READ if spec.idempotency is Idempotency.READ else Capability.WRITE
        pages = "next_cursor=" in source and "call.cursor" in source
        assert spec.capabilities == ((does, Capability.PAGING) if pages else (does,)), spec.method_id


def test_what_replaces_a_deprecated_method_is_there() -> None:
    known = {method.spec.method_id for _, method in every()}
    assert {method.spec.replacement_method_id for _, method in every()} - {None} <= known
