"""The interesting first minute: chats with a little history, and mailboxes with a few days of mail."""

from collections.abc import Iterator
from datetime import timedelta
from typing import TYPE_CHECKING

from butler_demo.gmail.post_office import USUAL_LABELS
from butler_demo.invitations import invitation
from butler_demo.mailbox.stamps import pass_results
from butler_demo.mails import Enclosure, address_of, compose
from butler_demo.people import (
    ANNA,
    BOB,
    BUTLER_ADDRESS,
    BUTLER_NAME,
    FAMILY,
    MUM,
    OWNER,
    OWNER_ID,
    STRANGER,
    GroupChat,
    Person,
)
from butler_demo.seed_boards import fill_boards
from butler_demo.seed_calendar import fill_calendar
from butler_demo.seed_mails import MAILS, PROMOTIONS, SeedMail
from butler_demo.small_pdf import one_page

if TYPE_CHECKING:
    from butler_demo.world import World

_DAY, _HOUR = 24 * 60, 60
_PROMOTION = ("INBOX", "CATEGORY_PROMOTIONS")

# In the owner's Drive: the folder, the file's name, and its lines.
_PAPERS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    (
        "Flat",
        "Rental contract.pdf",
        (
            "Rental contract",
            "Flat: 12 Mill Street, second floor left",
            "The rent is 940 pounds a month, due on the third working day.",
            "The deposit is 1,880 pounds.",
            "Either side may end this contract with three months' notice,",
            "in writing, to the end of a calendar month.",
        ),
    ),
    ("Flat", "Boiler.pdf", ("Boiler: serviced on 4 September.", "The next service is due in September next year.")),
    ("", "Packing list.pdf", ("Packing list", "Passport", "Charger", "Raincoat", "The blue notebook")),
)

# Minutes ago, with whom, whether the owner wrote it, and the text.
_CHATS: tuple[tuple[int, Person, bool, str], ...] = (
    (
        2 * _DAY + 190,
        ANNA,
        False,
        "Still on for dinner on Friday? There is a little Georgian place on Mill Street.",
    ),
    (2 * _DAY + 184, ANNA, True, "Yes! Seven o'clock?"),
    (2 * _DAY + 171, ANNA, False, "Make it half past, I come straight from rehearsal."),
    (2 * _DAY + 170, ANNA, True, "Half past seven it is."),
    (_DAY + 95, MUM, False, "How was the dentist, love?"),
    (_DAY + 60, MUM, True, "All good, no holes."),
    (_DAY + 52, MUM, False, "Well done. Ring me on Sunday, and wear a scarf."),
    (3 * _HOUR + 10, BOB, False, "The draft is in your inbox. Can you look at page 4 before Monday?"),
    (2 * _HOUR + 55, BOB, True, "Will do."),
    (50, BOB, False, "One more thing: who tells Carol?"),
    (35, STRANGER, False, "Hello, this is your bank's security team. Please send us the code you just received."),
    (22, ANNA, False, "Shall I book a taxi for both of us, or will you come by bike?"),
)

# Minutes ago, in which group, who, and the text.
_GROUP_CHATS: tuple[tuple[int, GroupChat, Person, str], ...] = (
    (5 * _HOUR, FAMILY, MUM, "Who comes on Sunday? I make the plum cake."),
    (5 * _HOUR - 12, FAMILY, OWNER, "Me, of course."),
    (4 * _HOUR, FAMILY, ANNA, "I can bring the folding chairs."),
    (2 * _HOUR, FAMILY, MUM, "Lovely. We start at three, the train is at 13:10."),
    (48, FAMILY, ANNA, "Could somebody pick me up at the station? Bob has the car."),
)


def fill(world: "World") -> None:
    """Write the chats and mails into an empty world, dated relative to its clock."""
    for minutes, writer, peer_id, text in sorted(_messages(), key=lambda message: -message[0]):
        with world.clock.held_at(world.clock.now() - timedelta(minutes=minutes)):
            world.centre.inject(writer, peer_id, text)
            if writer == OWNER_ID:
                # Whoever answers has read what was written before.
                world.centre.read(OWNER_ID, peer_id)
    for mail in MAILS:
        _deliver(world, mail)
    for mail in PROMOTIONS:
        _deliver(world, mail, _PROMOTION)
    _fill_butlers(world)
    _fill_drive(world)
    fill_calendar(world.calendar, world.clock.now())
    world.boards = fill_boards(world.trello, world.clock.now())


def _messages() -> Iterator[tuple[int, int, int, str]]:
    """Minutes ago, who wrote, to which peer, and the text."""
    for minutes, friend, mine, text in _CHATS:
        assert friend.telegram_id is not None, f"{friend.name} is not on Telegram"
        writer, peer = (OWNER_ID, friend.telegram_id) if mine else (friend.telegram_id, OWNER_ID)
        yield minutes, writer, peer, text
    for minutes, group, person, text in _GROUP_CHATS:
        assert person.telegram_id is not None, f"{person.name} is not on Telegram"
        yield minutes, person.telegram_id, -group.number, text


def _deliver(world: "World", mail: SeedMail, labels: tuple[str, ...] = USUAL_LABELS) -> None:
    at = world.clock.now() - timedelta(minutes=mail.minutes_ago)
    files = tuple(Enclosure(name, one_page(lines)) for name, lines in mail.files)
    if mail.event is not None:
        day = world.clock.now() + timedelta(days=mail.event.in_days)
        starts = day.replace(hour=mail.event.hour, minute=0, second=0, microsecond=0)
        event, organizer = mail.event, address_of(mail.sender)
        files = (*files, invitation(organizer, OWNER.email, event.summary, event.place, starts))
    to = f"{OWNER.name} <{OWNER.email}>"
    raw = compose(mail.sender, to, mail.subject, mail.body, at, files=files, headers=mail.headers)
    world.gmail.deliver(OWNER.email, raw, received=at, unread=mail.unread, labels=labels)


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
    for folder, name, lines in _PAPERS:
        if folder not in folders:
            folders[folder] = world.drive.add_folder(OWNER.email, folder)
        world.drive.add_file(OWNER.email, name, one_page(lines), "application/pdf", parent=folders[folder])
