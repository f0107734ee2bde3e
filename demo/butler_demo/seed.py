"""The interesting first minute: chats with a little history, and mailboxes with a few days of mail."""

from datetime import timedelta
from typing import TYPE_CHECKING

from butler_demo.gmail.post_office import USUAL_LABELS
from butler_demo.invitations import invitation
from butler_demo.mailbox.stamps import pass_results
from butler_demo.mails import Enclosure, address_of, compose
from butler_demo.people import BUTLER_ADDRESS, BUTLER_NAME, GROUPS, OWNER, OWNER_ID
from butler_demo.seed_boards import fill_boards
from butler_demo.seed_calendar import fill_calendar, start_of
from butler_demo.seed_content import PEOPLE, Row, age, rows
from butler_demo.small_pdf import one_page

if TYPE_CHECKING:
    from butler_demo.world import World

_PROMOTION = ("INBOX", "CATEGORY_PROMOTIONS")
_PROMOTION_READ_AFTER = timedelta(days=60)


def fill(world: "World") -> None:
    """Write the chats and mails into an empty world, dated relative to its clock."""
    for chat in sorted(rows("chats"), key=age, reverse=True):
        _write(world, chat)
    for mail in rows("mails"):
        _deliver(world, mail, age(mail), unread=mail.get("unread", True))
    for mail in rows("promotions"):
        since = timedelta(days=mail["days_ago"], minutes=95)
        _deliver(world, mail, since, unread=since < _PROMOTION_READ_AFTER, labels=_PROMOTION)
    _fill_butlers(world)
    _fill_drive(world)
    fill_calendar(world.calendar, world.clock.now())
    world.boards = fill_boards(world.trello, world.clock.now())


def _write(world: "World", chat: Row) -> None:
    person = PEOPLE[chat["with"]].telegram_id
    assert person is not None, f"{chat['with']} is not on Telegram"
    if group := chat.get("group"):
        writer, peer = person, -next(one.number for one in GROUPS if one.name == group)
    else:
        writer, peer = (OWNER_ID, person) if chat.get("by_owner") else (person, OWNER_ID)
    with world.clock.held_at(world.clock.now() - age(chat)):
        world.centre.inject(writer, peer, chat["text"])
        if writer == OWNER_ID:
            # Whoever answers has read what was written before.
            world.centre.read(OWNER_ID, peer)


def _deliver(
    world: "World", mail: Row, since: timedelta, *, unread: bool, labels: tuple[str, ...] = USUAL_LABELS
) -> None:
    at = world.clock.now() - since
    files = [Enclosure(mail["file"], one_page(tuple(mail["lines"])))] if "file" in mail else []
    if event := mail.get("event"):
        starts = start_of(event, world.clock.now())
        files.append(invitation(address_of(mail["sender"]), OWNER.email, event["summary"], event["place"], starts))
    leave = (("List-Unsubscribe", f"<{mail['leave']}>"), ("Precedence", "bulk")) if "leave" in mail else ()
    to = f"{OWNER.name} <{OWNER.email}>"
    raw = compose(mail["sender"], to, mail["subject"], mail["body"], at, files=tuple(files), headers=leave)
    world.gmail.deliver(OWNER.email, raw, received=at, unread=unread, labels=labels)


def _fill_butlers(world: "World") -> None:
    sender = "Home Example Mail <postmaster@home.example>"
    at = world.clock.now() - timedelta(days=3)
    body = f"Hello {BUTLER_NAME},\n\nyour mailbox is ready. Mail for {BUTLER_ADDRESS} arrives here.\n"
    with world.clock.held_at(at):
        verdict = f"{world.mail.authserv_id}; {pass_results('home.example')}"
        headers = (("Authentication-Results", verdict),)
        raw = compose(sender, BUTLER_ADDRESS, "Your mailbox is ready", body, at, headers=headers)
        world.mail.put(BUTLER_ADDRESS, raw, "INBOX", "\\Seen")


def _fill_drive(world: "World") -> None:
    folders: dict[str, str] = {"": ""}
    for paper in rows("papers"):
        folder: str = paper.get("folder", "")
        if folder not in folders:
            folders[folder] = world.drive.add_folder(OWNER.email, folder)
        content = one_page(tuple(paper["lines"]))
        world.drive.add_file(OWNER.email, paper["name"], content, "application/pdf", parent=folders[folder])
