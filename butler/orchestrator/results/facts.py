"""Reads what a finished step found, for later steps and for the reply: items, texts, and their labels."""

import re
from collections.abc import Mapping
from typing import Any, cast

from butler.agents.reader.port import Reading
from butler.contract.agents import When
from butler.contract.channel import Words
from butler.contract.found_items import Item, items
from butler.contract.provenance import Labelled, Origin, SourceKind, SourceName, Trust
from butler.contract.reasons import in_own_words
from butler.contract.referents import ReferentKind
from butler.contract.speech import phrase
from butler.contract.tools import ToolSpec
from butler.orchestrator.results.comparing import equals, order, order_of_reading
from butler.orchestrator.results.nothing_found import HUNG_ON_NOTHING, found_nothing
from butler.orchestrator.results.outcomes import StepRefusedError
from butler.provenance import Labels, join, load

MAIL_HEADER = (("From", "from"), ("Date", "date"), ("Subject", "subject"), ("To", "to"))
NOTHING = Origin.butler("nothing")
NOT_FOUND = "NOT_FOUND"
INDEX = re.compile(r"\d{1,4}", re.ASCII)


class NoSuchFactError(StepRefusedError):
    """An earlier step did not find what this step needs."""


def labels_of(spec: ToolSpec, data: Mapping[str, Any]) -> Labels:
    """Return whose words a step's data are: the owner's own rows, or somebody's."""
    about, channel, found = spec.about, spec.channel, items(data)
    if about.words is Words.OWNER:
        owners = frozenset({Origin.owner(channel)})
        return join(_stated(item) or owners for item in found) or owners
    if about.words is Words.BUTLER:
        return frozenset({Origin.butler(channel)})
    if not found:
        return frozenset({Origin(trust=Trust.UNTRUSTED, source=channel, shown_as=about.contents)})
    if about.words is Words.STATED:
        return join(_stated(item) or _anybodys(spec, item) for item in found)
    if about.thing:
        return frozenset(
            Origin(trust=Trust.UNTRUSTED, source=f"{channel}:{item.key}", shown_as=about.thing) for item in found
        )
    kind_of = SourceKind.MAIL if about.referent is ReferentKind.MAIL else SourceKind.MESSAGE
    return frozenset(
        Origin(
            trust=Trust.UNTRUSTED,
            source=f"{channel}:{item.key}",
            shown_as=SourceName(kind=kind_of, who=item.sender.removeprefix("mail:")),
        )
        for item in found
    )


def _stated(item: Item) -> Labels:
    """Return the authors that an item names; a passage of memory has kept those of its source."""
    data = item.data
    return load(data.get("origins") or ([data["origin"]] if isinstance(data.get("origin"), dict) else []))


def _anybodys(spec: ToolSpec, item: Item) -> Labels:
    return frozenset({Origin(trust=Trust.UNTRUSTED, source=f"{spec.channel}:{item.key}")})


def lies_in(spec: ToolSpec, account: str) -> dict[str, str]:
    """Return the account and channel of what a step found, for its outcome; empty for a tool without accounts."""
    return {"account": account, "channel": spec.channel} if account else {}


def fact(outcome: Mapping[str, Any], path: str) -> tuple[Any, Labels]:
    """Return a fact of a finished step, with its labels; raise `NoSuchFactError`.

    A path names keys and positions of the step's data, such as `message.subject` or `messages.0.message_id`.
    `forward.subject`, `forward.body` and `forward.attachments` are parts of the one mail that the step read, as it is
    forwarded.
    """
    if not outcome.get("ok"):
        nothing = found_nothing(outcome)
        raise NoSuchFactError(HUNG_ON_NOTHING if nothing else in_own_words(phrase("an earlier step did not work")))
    labels = load(outcome.get("origins", []))
    data: Any = outcome.get("data") or {}
    if path.startswith("forward."):
        part = _forward(data, path.removeprefix("forward."))
        # Without any files, nobody is the source.
        return part, frozenset({NOTHING}) if part == [] else labels
    for part in path.split("."):
        data = _part(data, part)
        if data is None:
            nothing = found_nothing(outcome)
            raise NoSuchFactError(
                HUNG_ON_NOTHING if nothing else in_own_words(phrase("an earlier step found nothing of that kind"))
            )
    return data, labels


def _part(data: Any, part: str) -> Any:
    if isinstance(data, dict):
        return cast("dict[str, Any]", data).get(part)
    if isinstance(data, list) and INDEX.fullmatch(part):
        return next(iter(cast("list[Any]", data)[int(part) :]), None)
    return None


def condition(
    when: When | None,
    outcomes: Mapping[int, Mapping[str, Any]],
    read: Labelled[Reading] | None = None,
) -> tuple[bool, Labels]:
    """Return whether a step's condition holds, and the labels of its fact; a missing fact is empty.

    `read` is the value read for a condition on a text. A value missing from the text neither equals nor differs from
    anything, and what cannot be compared is neither more nor less: a doubt never triggers a step.
    """
    if when is None:
        return True, frozenset()
    if when.step_id not in outcomes:
        # Nothing is known of a step that does not exist.
        return False, frozenset()
    if when.read is not None:
        return _of_text(when, read, outcomes)
    outcome = outcomes[when.step_id]
    try:
        value, labels = fact(outcome, when.fact)
    except NoSuchFactError:
        # That nothing was found is known, whatever the code of it says of the step.
        value = 0 if when.fact == "count" and outcome.get("code") == NOT_FOUND else None
        labels = load(outcome.get("origins", []))
    holds = {
        "empty": not value,
        "not_empty": bool(value),
        "equal": value == when.value,
        "not_equal": value != when.value,
        "more": order(value, when.value) > 0,
        "less": order(value, when.value) < 0,
    }
    return holds[when.is_], labels


def _of_text(
    when: When, read: Labelled[Reading] | None, outcomes: Mapping[int, Mapping[str, Any]]
) -> tuple[bool, Labels]:
    if read is None:
        return when.is_ == "empty", load(outcomes[when.step_id].get("origins", []))
    match when.is_:
        case "empty" | "not_empty":
            return when.is_ == "not_empty", read.origins
        case "equal" | "not_equal":
            return equals(read.value, when.value) is (when.is_ == "equal"), read.origins
        case "more" | "less":
            return order_of_reading(read.value, when.value) == (1 if when.is_ == "more" else -1), read.origins


def _forward(data: Mapping[str, Any], part: str) -> Any:
    """Return a part of a mail that was read, as it is forwarded."""
    found = items(data)
    if len(found) != 1:
        raise NoSuchFactError(in_own_words(phrase("an earlier step found no single mail to pass on")))
    mail = found[0].data
    match part:
        case "subject":
            subject = str(mail.get("subject") or "")
            return subject if subject.lower().startswith(("fwd:", "fw:")) else f"Fwd: {subject}"
        case "body":
            head = [f"{label}: {_header(found[0], key)}" for label, key in MAIL_HEADER if mail.get(key)]
            return "\n".join(["---------- Forwarded message ----------", *head, "", str(mail.get("text") or "")])
        case "attachments":
            return list(mail.get("attachments") or [])
        case _:
            raise NoSuchFactError(
                in_own_words(phrase("a mail is passed on as its subject, its body and its attachments"))
            )


def _header(mail: Item, key: str) -> str:
    """Return a header line above a forwarded mail, in the usual form."""
    if key == "date" and mail.at is not None:
        return f"{mail.at:%a, %d %b %Y %H:%M %z}"
    name = " ".join(str(mail.data.get("from_name") or "").split()) if key == "from" else ""
    return f"{name} <{mail.data[key]}>" if name else _plain(mail.data[key])


def _plain(value: Any) -> str:
    return ", ".join(map(str, cast("list[Any]", value))) if isinstance(value, list) else str(value)
