"""Draws an approval as a card: everything that will be seen and done, and later the outcome, from rows alone.

Only expiry, outcome and buttons change in a card's life, so that a long card can be redrawn by its last page.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from approvals.accounts import through, without_settled
from approvals.address import plain_address, shown_address
from approvals.arguments import argument_label, left_out_label
from approvals.cautions import cautions
from approvals.changes import earlier_text
from approvals.context import Context
from approvals.follow_ups import FollowUpKind, what_follows
from approvals.frozen import ChangedSinceShownError, FrozenCall, thaw
from approvals.links import shown_links
from approvals.outcome_text import act, asks_because, outcome, passed, warnings
from approvals.people import Names
from approvals.preview import NoWordsError, bare_preview, left_out, preview_of
from approvals.reason_words import in_words, names_sources
from approvals.states import State
from approvals.visible import visible, visible_line
from butler.contract.card import Button, Card, Rich, Span, Style, plain
from butler.contract.names import Identity
from butler.contract.speech import phrase, say
from butler.contract.tools import ArgRole, Preview, Recipient
from butler.provenance import dump_names, is_tainted, load, only_set_going, untrusted_names, untrusted_sources
from butler.store.queries.approvals import ApprovalRow
from butler.tool_invoker import ToolInvoker, UnknownToolError

DIGEST_SHOWN = 16
"""How many leading hex digits of an attachment's digest are shown."""
ADDRESS = re.compile(r"(?:mail|telegram):\S+")
REPLACED = phrase("Replaced by a newer version below.")
SHOWN_BELOW = phrase("Shown again below.")


def frozen_of(row: ApprovalRow) -> FrozenCall:
    """Build the frozen call that a row holds."""
    return FrozenCall(row.tool, row.args, row.args_sha256, row.contract_digest, row.not_before)


def shown_of(invoker: ToolInvoker, row: ApprovalRow) -> Preview:
    """Return the preview of a stored call; from its bare arguments if the tool is gone, changed or has no words."""
    try:
        spec = invoker.spec(row.tool)
        return preview_of(spec, thaw(spec, frozen_of(row)))
    except (UnknownToolError, ChangedSinceShownError, NoWordsError):
        return bare_preview(say("Calls {tool}", tool=row.tool), _args(row), row.tool)


def build(
    context: Context,
    row: ApprovalRow,
    names: Names,
    buttons: Sequence[tuple[Button, ...]],
    now: datetime,
    *,
    changes: Rich = (),
    then: str = "",
) -> Card:
    """Draw the card of a row, with the changes of this version and the state of its follow-ups.

    Its texts are literal; nothing in them is markup.
    """
    preview = shown_of(context.invoker, row)
    # The difference shows the replaced text, unless it shortens it.
    before = earlier_text(changes) if what_follows(row) is FollowUpKind.CORRECT else ""
    result = f"{outcome(context, row, now)} {then}".strip()
    return Card(
        approval_id=row.approval_id,
        revision=row.revision,
        title=_title(row),
        fields=(*_time(context, row), *_fields(context.invoker, row, preview, names, before)),
        body=visible(preview.body),
        changes=changes,
        attachments=tuple(a.model_copy(update={"name": visible_line(a.name)}) for a in preview.attachments),
        reasons=() if passed(row) else tuple(map(visible_line, (*warnings(row), *cautions(context, row, preview)))),
        effect=visible_line(preview.effect),
        expires_at=row.expires_at if row.state == State.PENDING else None,
        outcome=plain(result) if result else (),
        buttons=tuple(buttons),
    )


def replaced(card: Card, by: str) -> Card:
    """Draw a replaced card as it was, without buttons; `by` says what has replaced it."""
    return card.model_copy(update={"expires_at": None, "outcome": plain(say(by)), "buttons": ()})


def _title(row: ApprovalRow) -> str:
    if passed(row):
        return say("For your information")
    return say("For your approval, changed") if row.revision > 1 else say("For your approval")


def _args(row: ApprovalRow) -> Mapping[str, Any]:
    """Return the row's arguments without the account, which the card shows beside the identity."""
    return without_settled(json.loads(row.args), said=bool(row.account))


def _time(context: Context, row: ApprovalRow) -> Iterator[tuple[str, Rich]]:
    """Yield the time of the act, unless that is immediately."""
    if row.not_before is not None:
        yield act(row.tool, say("Goes out on"), say("Done on")), plain(context.moment(row.not_before))


def _fields(
    invoker: ToolInvoker, row: ApprovalRow, preview: Preview, names: Names, before: str
) -> Iterator[tuple[str, Rich]]:
    """Yield the lines about a call, without facts that repeat the earlier text `before`."""
    yield say("As"), plain(acting_as(invoker, row))
    count = len(preview.recipients)
    if count:
        label = say("To") if count == 1 else say("To all {count}", count=count)
        lines = [tuple(_recipient(recipient, names)) for recipient in preview.recipients]
        yield label, tuple(span for line in lines for span in (*line, Span(text="\n")))[:-1]
    if preview.subject:
        yield preview.subject_label or say("Subject"), plain(visible_line(preview.subject))
    if lead_to := shown_links(preview.subject, preview.body):
        yield say("Links"), lead_to
    yield from _facts(invoker, row, preview, names, before)
    for attachment in preview.attachments:
        yield "SHA-256", plain(f"{attachment.sha256[:DIGEST_SHOWN]}… {visible_line(attachment.name)}")
    if passed(row):
        yield say("Not asked because"), plain("; ".join(visible_line(in_words(one)) for one in row.reasons))
    elif because := asks_because(row):
        yield say("Asks because"), plain(because)
    if sources := tuple(_sources(row)):
        yield say("Drawn from"), plain("\n".join(sources))


def _facts(
    invoker: ToolInvoker, row: ApprovalRow, preview: Preview, names: Names, before: str
) -> Iterator[tuple[str, Rich]]:
    """Yield the mail that a call is about, its facts, and the arguments that the preview leaves out."""
    for label, message_id in preview.mails:
        if mail := names.mail(message_id):
            yield label, plain(visible_line(mail))
    facts = [
        (label, value) for label, value in (*preview.facts, *preview.passing) if not before or value.strip() != before
    ]
    unsaid = [(left_out_label(path, row.tool), value) for path, value in left_out(preview, _args(row))]
    addresses = set(_addresses(invoker, row))
    for label, value in (*facts, *unsaid):
        name, shown = names.of(value), plain_address(value) if value in addresses else visible_line(value)
        yield visible_line(label), plain(shown + (f" ({visible_line(name)})" if name else ""))


def acting_as(invoker: ToolInvoker, row: ApprovalRow) -> str:
    """Name the identity, such as `you`, or `you, through work` if there are several accounts."""
    who = say("you") if row.identity == Identity.USER else "Butler"
    return f"{who}{through(invoker, row.tool, row.account)}"


def _recipient(recipient: Recipient, names: Names) -> Iterator[Span]:
    address, remarks = shown_address(recipient.address)
    name = names.of(recipient.address)
    yield Span(text=address, style=Style.CODE)
    if name is not None:
        yield Span(text=f" ({visible_line(name)})")
    elif recipient.name:
        called = say("called {name}", name=visible_line(recipient.name))
        yield Span(text=f" ({called})")
    if remarks:
        yield Span(text=f" – {remarks}", style=Style.BOLD)


def _sources(row: ApprovalRow) -> Iterator[str]:
    """Yield whose words each argument holds, unless a reason says so already. An empty list or text holds nobody's."""
    args: dict[str, Any] = json.loads(row.args)
    for argument, dumped in sorted(row.labels.items()):
        labels = load(dumped)
        if is_tainted(labels) and not only_set_going(labels) and args.get(argument, argument) not in ("", [], None):
            names = dump_names(untrusted_names(labels))
            if not any(names_sources(one, argument, names) for one in row.reasons):
                whose = ", ".join(untrusted_sources(labels)) or say("nobody knows where")
                yield visible_line(say("{label}: ", label=argument_label(argument, row.tool)) + whose)


def _addresses(invoker: ToolInvoker, row: ApprovalRow) -> Iterator[str]:
    """Yield the arguments that say where or with whom, apart from those that hold what is written."""
    try:
        roles = invoker.metadata(row.tool).args
    except UnknownToolError:
        return
    for name, value in json.loads(row.args).items():
        if isinstance(value, str) and roles.get(name) is ArgRole.TARGET and ADDRESS.fullmatch(value):
            yield value
