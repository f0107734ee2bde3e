"""Builds the butler's reply to a plan from stored outcomes, and what a planner may later see of it.

The owner reads what others wrote, with everything that could hide or mislead made visible; a planner only reads that it
was shown, by handle.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from zoneinfo import ZoneInfo

from approvals.visible import visible
from butler.contract.attachment import Attachment
from butler.contract.card import Rich, Span, Style
from butler.contract.channel import Words
from butler.contract.found_items import Item, items
from butler.contract.names import Direction, ToolName
from butler.contract.referents import ReferentKind
from butler.contract.rendering import Offer, StepResult
from butler.contract.shown_text import LINE, LONGEST, SNIPPET, clipped
from butler.contract.speech import phrase, say, say_many
from butler.contract.tool_words import channel_of
from butler.orchestrator.planning.references import handles_in
from butler.orchestrator.replies.failures import advise, alone, refers
from butler.orchestrator.replies.found_items import as_read, document, kept_text, line, titled, whole
from butler.orchestrator.replies.memory_kinds import overview
from butler.orchestrator.replies.quarantine import suspects_of
from butler.orchestrator.replies.sender_ranks import ranked
from butler.orchestrator.replies.sources import SourcedAnswer
from butler.orchestrator.results.nothing_found import FOLLOWED, found_nothing, hangs_on_nothing
from butler.orchestrator.results.outcomes import why_of
from butler.orchestrator.results.told_acts import call_of, told_of
from butler.provenance import Labels, load

APPROVAL_ENDS = {
    "denied": phrase("you said no, so nothing was done"),
    "expired": phrase("nobody answered in time, so nothing was done"),
    "superseded": phrase("it was withdrawn, so nothing was done"),
    "cancelled": phrase("you took it back, so nothing was done"),
}
ASKED_OF_FILES = (
    (phrase("Summarise"), "Summarise this."),
    (phrase("What is due?"), "What is due or asked for, and by when?"),
)
"""Questions about something that was read: the button, and the question."""
_WITH_REASON = frozenset({"superseded", "cancelled"})
"""Final states whose stored detail says why they came about."""
NEWEST = phrase("These are the newest {shown} of {count}.")
NEWEST_OF_MORE = phrase("These are the newest {shown} of more than {count}.")


@dataclass(frozen=True, slots=True)
class Reply:
    """A message to the owner, and its planner-safe form."""

    text: Rich
    memory: str
    offers: tuple[Offer, ...] = ()
    labels: Labels = frozenset()
    """The labels of the texts that influenced the offers."""
    pictures: tuple[Attachment, ...] = ()


def reply(
    shown: tuple[StepResult, ...],
    zone: ZoneInfo,
    answer: SourcedAnswer | None = None,
    answers: frozenset[int] = frozenset(),
) -> Reply | None:
    """Return the answer to a plan that has ended; one without a text if a card has said it all, None without steps.

    `answer` is the tailor's answer from what the steps of `answers` found, which then need no listing.
    """
    results = [one for one in _to_report(shown) if one.step.step_id not in answers]
    alone = len(results) == 1 and answer is None
    parts = [_headed(_of_step(one, zone, alone=alone), one, results) for one in results]
    if answer is not None:
        parts.insert(0, Reply(answer.text, answer.memory, answer.offers, answer.labels))
    return joined(parts)


def joined(parts: list[Reply]) -> Reply | None:
    """Join several answers to one message; None if there is none."""
    if not parts:
        return None
    text: list[Span] = []
    for part in parts:
        text += [*([Span(text="\n\n")] if text and part.text else []), *part.text]
    offers = {offer.label: offer for part in parts for offer in part.offers}
    labels = frozenset(origin for part in parts for origin in part.labels)
    pictures = tuple(picture for part in parts for picture in part.pictures)
    memory = " ".join(part.memory for part in parts if part.memory)
    return Reply(tuple(text), memory, tuple(offers.values()), labels, pictures)


def ended(shown: tuple[StepResult, ...]) -> Reply | None:
    """Return how a plan ended for a reader who does not see its cards; None if nothing was done."""
    parts: list[Reply] = []
    for one in _to_report(shown):
        outcome = one.step.outcome or {}
        parts.append(_done(one) if outcome.get("ok") else _not_done(one, outcome, alone=False))
    text = "\n".join(span.text for part in parts for span in part.text)
    return Reply((Span(text=text),), " ".join(part.memory for part in parts)) if parts else None


def _to_report(shown: tuple[StepResult, ...]) -> list[StepResult]:
    return [one for one in shown if not _led_on(one, shown) and not _was_on_the_way(one, shown)]


def _was_on_the_way(one: StepResult, shown: tuple[StepResult, ...]) -> bool:
    """Return whether a look only led to what a later round did with it, or another one answers its question."""
    if one.spec.direction is not Direction.INPUT:
        return False
    vain = found_nothing(one.outcome)
    if vain and one.step.ask and any(s.step.ask == one.step.ask and not found_nothing(s.outcome) for s in shown):
        return True
    later = [s for s in shown if s.step.step_id > one.step.step_id]
    if not one.outcome.get(FOLLOWED):
        return False
    if vain:
        return any(s.spec.direction is Direction.INPUT or s.ok for s in later)
    return any(handle in one.handles for s in later for handle in handles_in(s.step.args))


def _done(one: StepResult) -> Reply:
    return Reply((Span(text=f"✅ {_what(one)}"),), told_of(one))


def _headed(part: Reply, one: StepResult, told: list[StepResult]) -> Reply:
    """Add the channel's name above a result if results came from several channels."""
    looked = {other.spec.channel for other in told if other.spec.direction is Direction.INPUT}
    if one.spec.direction is not Direction.INPUT or len(looked) == 1:
        return part
    title = say(one.spec.about.title) or channel_of(one.spec.tool_name)
    head = Span(text=f"{title}\n", style=Style.BOLD)
    return replace(part, text=(head, *part.text))


def _led_on(one: StepResult, shown: tuple[StepResult, ...]) -> bool:
    """Return whether a step was not needed, or only found what a later step then showed or used."""
    if one.spec.direction is not Direction.INPUT:
        if _not_needed(one) and _of_nothing(one, shown):
            return True
        return _not_needed(one) and any(_of_same(other, one) and not _not_needed(other) for other in shown)
    passed_on = (
        s
        for s in shown
        if one.step.step_id in s.step.depends_on
        and s.spec.direction is Direction.OUTPUT
        and not (_not_needed(s) and _is_only_one(s))
    )
    if one.step.status == "completed" and any(passed_on):
        return True
    later = (s for s in shown if s.step.when and s.step.when.step_id == one.step.step_id)
    if _not_needed(one) and one.step.when is not None and one.step.when.read is not None:
        return False
    return _not_needed(one) or any(not _not_needed(s) for s in later)


def _of_same(other: StepResult, one: StepResult) -> bool:
    """Return whether two steps are alternatives, of which only one is needed."""
    same = bool(other.step.when and one.step.when and other.step.when.step_id == one.step.when.step_id)
    return same and other.step.description == one.step.description


def _is_only_one(one: StepResult) -> bool:
    """Return whether a step acts on what was looked for, on condition that exactly one item was found."""
    when = one.step.when
    only = when is not None and when.fact == "count" and when.is_ == "equal" and when.value == 1
    return only and one.spec.direction is Direction.OUTPUT


def _of_nothing(one: StepResult, shown: tuple[StepResult, ...]) -> bool:
    """Return whether there was nothing to act on, which the search itself reports."""
    looked = (s for s in shown if one.step.when and s.step.step_id == one.step.when.step_id)
    return _is_only_one(one) and any(not _count(s) for s in looked)


def _count(one: StepResult) -> int:
    data: Mapping[str, Any] = (one.step.outcome or {}).get("data") or {}
    return int(data.get("count") or 0)


def _not_needed(one: StepResult) -> bool:
    return (one.step.outcome or {}).get("code") == "NOT_NEEDED"


def _of_step(one: StepResult, zone: ZoneInfo, *, alone: bool) -> Reply:
    outcome = one.step.outcome or {}
    if not outcome.get("ok"):
        return _not_done(one, outcome, alone=alone)
    rendered = _rendered(one, zone)
    if one.spec.direction is Direction.INPUT:
        return _warned(outcome, _in_account(one, rendered or _found(one, one.data, zone)))
    if rendered is not None:
        return rendered
    if one.spec.to_owner:
        return _kept(one, one.data)
    # Cards show their own outcome; a plan of several steps is summed up.
    return Reply((), told_of(one)) if alone else _done(one)


def _what(one: StepResult) -> str:
    """Return what was to be done: as planned, or as the owner changed it on its card."""
    changed = str((one.step.outcome or {}).get("changed_to", ""))
    return changed or one.step.description.rstrip(".") or one.spec.tool_name


def _not_done(one: StepResult, outcome: Mapping[str, Any], *, alone: bool) -> Reply:
    state = str(outcome.get("approval", ""))
    if state and alone:
        return Reply((), told_of(one))
    sentence = _why_not(outcome, state)
    if outcome.get("code") == "NOT_FOUND" and one.spec.direction is Direction.INPUT and not outcome.get("by_agent"):
        return _in_account(one, _nothing(one, sentence))
    text, offers = _of_failure(one, outcome, sentence)
    return Reply((Span(text=text),), told_of(one), offers)


def _why_not(outcome: Mapping[str, Any], state: str) -> str:
    """Return the sentence on why a step was not done, without its full stop."""
    message = why_of(outcome).rstrip(".")
    if state in _WITH_REASON and message:
        return say("{why}, so nothing was done", why=message)
    return say(APPROVAL_ENDS[state]) if state in APPROVAL_ENDS else message or say("it did not work")


def _of_failure(one: StepResult, outcome: Mapping[str, Any], sentence: str) -> tuple[str, tuple[Offer, ...]]:
    if hangs_on_nothing(outcome):
        return f"➖ {_what(one)}: {sentence}.", ()
    if (advice := advise(one.step, one.spec, _what(one))) is not None:
        return visible(advice.text), advice.offers
    if _not_needed(one) and _is_only_one(one):
        return say("More than one fits, so I did nothing. Say it of one of them, like “delete the second one”."), ()
    if _not_needed(one):
        return say("➖ Left out: {what}. The reason: {why}.", what=_what(one), why=sentence), ()
    return f"❌ {_what(one)}: {sentence}.", ()


def _warned(outcome: Mapping[str, Any], said: Reply) -> Reply:
    """Add a warning above what was found if some of it reads like an attack."""
    if not (count := len(suspects_of(outcome))):
        return said
    warning = say_many(
        count,
        "⚠️ This reads like instructions to an assistant. I only show it.",
        "⚠️ {count} of these read like instructions to an assistant. I only show them.",
    )
    return replace(said, text=(Span(text=f"{warning}\n\n", style=Style.BOLD), *said.text))


def _in_account(one: StepResult, said: Reply) -> Reply:
    """Add the account above what was found if there is more than one."""
    account = str((one.step.outcome or {}).get("account", ""))
    if not account or len(one.spec.accounts) < 2:  # noqa: PLR2004 - the only one needs no name
        return said
    where = say("In {account}:", account=account)
    head = Span(text=f"{where}\n", style=Style.ITALIC)
    return replace(said, text=(head, *said.text), memory=f"{said.memory} Account: {account}.")


def _nothing(one: StepResult, reason: str) -> Reply:
    text = say("Nothing found: {why}.", why=say(reason)) if reason else say("Nothing found.")
    return Reply((Span(text=text),), f"{one.spec.tool_name} found nothing.")


def _rendered(one: StepResult, zone: ZoneInfo) -> Reply | None:
    """Return the module's own rendering of a step; None if it leaves it to the generic words."""
    made = one.renderer.render(one, zone)
    if made is None:
        return None
    if one.spec.direction is Direction.OUTPUT:
        memory = f"{call_of(one)}: {made.memory}" if made.memory else told_of(one)
    else:
        memory = made.memory or _memory(one)
    return Reply(made.text, memory, made.offers, pictures=made.pictures)


def _found(one: StepResult, data: Mapping[str, Any], zone: ZoneInfo) -> Reply:
    found = as_read(items(data), one.spec.tool_name, data)
    if data.get("senders"):
        text, offers = ranked(data, zone)
        labels = load((one.step.outcome or {}).get("origins") or ())
        return Reply(text, f"Showed who sends most ({one.spec.tool_name}).", offers, labels)
    if data.get("choices"):
        return _which(found, one, str(data.get("empty_because") or ""))
    if found:
        result, (head, offers) = _things(found, one, data, zone), overview(one.step, data)
        return replace(result, text=(*head, *result.text), offers=(*result.offers, *offers))
    if "new" in data:
        return _mail_check_reply(one, data)
    return _nothing(one, str(data.get("empty_because") or data.get("reason") or "").rstrip("."))


def _things(found: list[Item], one: StepResult, data: Mapping[str, Any], zone: ZoneInfo) -> Reply:
    memory = _memory(one)
    action = ToolName.parse(one.spec.tool_name).action
    if one.spec.about.words is Words.STATED and action.startswith("read") and len(found) == 1:
        labels = load((one.step.outcome or {}).get("origins") or ())
        return Reply(document(found[0]), memory, _asked_of(one), labels)
    if action.startswith("read") and len(found) == 1:
        return Reply(whole(found[0], one, zone), memory)
    if action == "get_message_history":
        return Reply(_conversation(found, one, zone, data), memory)
    if len(found) == 1:
        return Reply((*line(found[0], one, zone, LONGEST), *_rest(found, data)), memory)
    lines: list[Span] = []
    for number, item in enumerate(found, one.first):
        lines += [Span(text=f"{number}. "), *line(item, one, zone, SNIPPET), Span(text="\n")]
    lines += _rest(found, data)
    if one.spec.about.referent is ReferentKind.MAIL:
        lines.append(Span(text=f"\n{_next_words(one.first)}", style=Style.ITALIC))
    if action == "list_dialogs" and (name := next(iter(one.people.values()), "")):
        text = say("Say “what did {name} write on Telegram?” to read on.", name=name)
        lines.append(Span(text=f"\n{text}", style=Style.ITALIC))
    return Reply(tuple(lines), memory)


def _memory(one: StepResult) -> str:
    if not one.handles and found_nothing(one.outcome):
        return f"{one.spec.tool_name} found nothing."
    count = one.data.get("count")
    found = ", ".join(one.handles) or (f"{count} that have no handle" if isinstance(count, int) else "what was found")
    return f"Showed {found} ({one.spec.tool_name})."


def _next_words(first: int) -> str:
    """Return what can be said about a list whose first line has this number."""
    if first == 1:
        return say("Say “read the first one”, or “reply to the first one: …”.")
    return say("Say “read number {number}”, or “reply to number {number}: …”.", number=first)


def _asked_of(one: StepResult) -> tuple[Offer, ...]:
    """Offer questions about what was read, each by the same step with a question; it reads the same item again."""
    step = one.step
    if "question" not in one.spec.args.model_fields or refers(step.args):
        return ()
    # The same address is read again for a question of the butler's: the text had no hand in either.
    return tuple(
        Offer(say(label), steps=(alone(step, step.tool_call, {**step.args, "question": question}),), labels=frozenset())
        for label, question in ASKED_OF_FILES
    )


def _which(found: list[Item], one: StepResult, why: str) -> Reply:
    """List several items that fit the owner's words, of which none was read."""
    lines = [Span(text=f"{visible(say(why))}:\n")]
    for number, item in enumerate(found, 1):
        lines += [Span(text=f"{number}. "), *titled(item, one), Span(text="\n")]
    text = say("I read none of them. Say it with more of the name.")
    lines.append(Span(text=f"\n{text}", style=Style.ITALIC))
    return Reply(tuple(lines), f"Several fit, so none was read: {', '.join(one.handles)} ({one.spec.tool_name}).")


def _conversation(found: list[Item], one: StepResult, zone: ZoneInfo, data: Mapping[str, Any]) -> Rich:
    """Render a chat from the oldest message to the newest, each whole unless it is very long."""
    name, most = str(data.get("name") or ""), LINE if len(found) > 1 else LONGEST
    lines: list[Span] = [Span(text=clipped(name, SNIPPET), style=Style.BOLD)] if name else []
    for item in found:
        lines += [*([Span(text="\n")] if lines else []), *line(item, one, zone, most)]
    return (*lines, *_rest(found, data))


def _mail_check_reply(one: StepResult, data: Mapping[str, Any]) -> Reply:
    """Report a check for new mail: the mails themselves are reported one by one."""
    new, held = int(data.get("new") or 0), int(data.get("quarantined") or 0)
    text = say_many(new, "1 new mail.", "{count} new mails.") if new else say("No new mail.")
    if held:
        aside = say_many(
            held,
            "1 could not be read and is set aside.",
            "{count} could not be read and are set aside.",
        )
        text = f"{text} {aside}"
    return Reply((Span(text=text),), f"{one.spec.tool_name} found {new} new.")


def _rest(found: list[Item], data: Mapping[str, Any]) -> list[Span]:
    """Return how many items exist beyond those shown, and why the count may be inexact."""
    count, complete = int(data.get("count") or 0), data.get("complete", True)
    lines: list[Span] = []
    if muted := int(data.get("muted_left_out") or 0):
        left = say_many(muted, "1 muted one is not listed.", "{count} muted ones are not listed.")
        lines.append(Span(text=f"\n{left}"))
    if count > len(found):
        newest = NEWEST if complete else NEWEST_OF_MORE
        text = say(newest, shown=len(found), count=count)
        lines.append(Span(text=f"\n{text}"))
    if not complete and (reason := say(str(data.get("reason") or "").rstrip("."))):
        lines.append(Span(text=f"\n{reason[:1].upper()}{reason[1:]}."))
    return lines


def _kept(one: StepResult, data: Mapping[str, Any]) -> Reply:
    found = items(data)
    if not found:
        # The result in the butler's own words, such as when it comes next.
        more = f" {data['told']}" if data.get("told") else ""
        return Reply((Span(text=f"✅ {_what(one)}.{more}"),), told_of(one))
    record = found[0].data
    return Reply((Span(text=say("📝 Noted: {text}", text=kept_text(record))),), told_of(one))
