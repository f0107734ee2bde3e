"""Builds the previews of calls on one card or list."""

from zoneinfo import ZoneInfo

from butler.contract.speech import phrase, say
from butler.contract.tools import Preview
from modules.trello.args import (
    CardSeen,
    ChangeCardArgs,
    CommentCardArgs,
    CreateCardArgs,
    CreateListArgs,
    DeleteCardArgs,
    ListCardsArgs,
    Position,
)
from modules.trello.due import due_text

SEEN = phrase("Everybody on the board sees it.")


def preview_list_cards(args: ListCardsArgs, zone: ZoneInfo) -> Preview:
    """Return the preview of a listing of cards, for owners who approve reads."""
    facts = (
        (say("Board"), args.board),
        (say("List"), args.in_list),
        (say("With the label"), args.label),
        (say("Words"), args.words),
        (say("Assigned to"), args.assigned),
        (say("Due before"), due_text(args.due_before, args.in_zone, zone)),
        (say("Only"), say("overdue ones") if args.overdue else ""),
    )
    names = ("board", "in_list", "label", "words", "assigned", "due_before", "overdue")
    return Preview(say("Looks for cards on your Trello"), facts=tuple(fact for fact in facts if fact[1]), told=names)


def preview_create_card(args: CreateCardArgs, zone: ZoneInfo) -> Preview:
    """Return the preview of a new card."""
    place = args.place
    labels = (name for _, name in place.labels) if place else args.labels
    members = (name for _, name in place.members) if place else args.assign
    facts = (
        (say("Board"), place.board if place else args.board),
        (say("List"), place.list_name if place else args.in_list),
        (say("Where in it"), say("at the top") if args.position is Position.TOP else ""),
        (say("Due"), due_text(args.due, args.in_zone, zone)),
        (say("Labels"), ", ".join(labels)),
        (say("Put on it"), ", ".join(members)),
    )
    return _preview(say("Makes a card on Trello as you"), args, facts, subject=args.name, body=args.description)


def preview_create_list(args: CreateListArgs) -> Preview:
    """Return the preview of a new list."""
    facts = ((say("Board"), args.place.board if args.place else args.board),)
    return _preview(say("Makes a list on Trello as you"), args, facts, subject=args.name)


def preview_change_card(args: ChangeCardArgs, zone: ZoneInfo) -> Preview:
    """Return the preview of a change."""
    done = "" if args.done is None else say("done") if args.done else say("not done")
    emptied = say("is taken away") if args.description == "" else ""
    facts = (
        *_about(args.about, args.card),
        (say("New name"), args.name or ""),
        (say("Due"), due_text(args.due, args.in_zone, zone)),
        (say("Becomes"), done),
        (say("Description"), emptied),
    )
    return _preview(say("Changes a card on Trello as you"), args, facts, body=args.description or "")


def preview_comment_card(args: CommentCardArgs) -> Preview:
    """Return the preview of a comment, with its card."""
    return _preview(say("Writes a comment on Trello as you"), args, _about(args.about, args.card), body=args.text)


def preview_delete_card(args: DeleteCardArgs) -> Preview:
    """Return the preview of a deletion, which is final."""
    facts = (
        *_about(args.about, args.card),
        (say("Cannot be undone"), say("It is deleted with all that stands on it; archiving keeps it.")),
    )
    return _preview(say("Deletes a card on Trello for good"), args, facts)


def _about(about: CardSeen | None, card: str) -> tuple[tuple[str, str], ...]:
    if about is None:
        return ((say("Card"), card),)
    return ((say("Card"), about.name), (say("List"), about.list_name), (say("Board"), about.board))


def _preview(
    effect: str,
    args: CreateCardArgs | CreateListArgs | ChangeCardArgs | CommentCardArgs | DeleteCardArgs,
    facts: tuple[tuple[str, str], ...],
    *,
    subject: str = "",
    body: str = "",
) -> Preview:
    return Preview(
        effect,
        subject=subject,
        subject_label=say("Name"),
        body=body,
        facts=(*(fact for fact in facts if fact[1]), (say("Who sees it"), say(SEEN))),
        told=tuple(type(args).model_fields),
    )
