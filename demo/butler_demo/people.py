"""Who lives in the demo."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody with a Telegram account (`telegram_id`), a mail address, or both; empty means none."""

    name: str
    telegram_id: int | None = None
    username: str = ""
    phone: str = ""
    email: str = ""


OWNER = Person("Robin", 42, "robin", "+442079460042", "me@home.example")
OWNER_ID = 42
ANNA = Person("Anna", 1002, "anna", "+442079461002", "anna@friends.example")
BOB = Person("Bob", 1003, "bob", "+442079461003", "bob@work.example")
MUM = Person("Mum", 1004, "", "+442079461004")
CAROL = Person("Carol", email="carol@choir.example")
STRANGER = Person("Lucky", 666, "lucky_winner", "+442079460666")

BOARD_MEMBERS = (ANNA, BOB)
"""Who has the boards together with the owner; each by the same user name as on Telegram."""
FRIENDS = (ANNA, BOB, MUM, CAROL)
EVERYBODY = (OWNER, *FRIENDS, STRANGER)


@dataclass(frozen=True, slots=True)
class GroupChat:
    """A group on Telegram; its peer id is `-number`."""

    name: str
    number: int
    members: tuple[Person, ...]


FAMILY = GroupChat("Family", 55, (MUM, OWNER, ANNA))
GROUPS = (FAMILY,)

BUTLER_NAME = "Jeeves"
BUTLER_ADDRESS = "butler@home.example"
BUTLER_USERNAME = "jeeves_demo_bot"
"""The butler's bot on Telegram."""


def by_telegram_id(telegram_id: int) -> Person | None:
    """The person with this account."""
    return next((person for person in EVERYBODY if person.telegram_id == telegram_id), None)


def by_name(name: str) -> Person | None:
    """The person of this name who is on Telegram."""
    return next((one for one in EVERYBODY if one.telegram_id and one.name.casefold() == name.casefold()), None)


def names_of_peer(peer_id: int) -> tuple[str, ...]:
    """What a person or group is called, the first as it is shown; its number where nobody knows it."""
    if (person := by_telegram_id(peer_id)) is not None:
        return (person.name, f"@{person.username}") if person.username else (person.name,)
    return next(((group.name,) for group in GROUPS if group.number == -peer_id), (str(peer_id),))
