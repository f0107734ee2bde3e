"""The control surface for people: accounts, address books, basic groups and what Telegram thinks of somebody."""

from butler_demo.mtproto.control.base import Control
from butler_demo.mtproto.directory import Account, ContactName, Group
from butler_demo.mtproto.srp import verifier_of


class PeopleControl(Control):
    """Who exists and who knows whom."""

    def add_account(
        self,
        user_id: int,
        phone: str,
        first_name: str,
        last_name: str | None = None,
        *,
        username: str | None = None,
        password: str | None = None,
        code: str = "12345",
    ) -> Account:
        """Add an account; `phone` with or without plus sign, `password` switches two-step verification on.

        Raises:
            ValueError: the id, the phone or the username is taken.
        """
        verifier = verifier_of(password) if password else None
        account = Account(user_id, phone.lstrip("+"), first_name, last_name, username, code, verifier)
        self._state.directory.add_account(account)
        return account

    def befriend(
        self, owner_id: int, contact_id: int, as_first_name: str | None = None, as_last_name: str | None = None
    ) -> None:
        """Write one account into another's address book, under its own name or the one given."""
        account = self._state.directory.accounts[contact_id]
        name = ContactName(account.first_name, account.last_name)
        if as_first_name is not None:
            name = ContactName(as_first_name, as_last_name)
        self._state.directory.add_contact(owner_id, contact_id, name)

    def add_group(self, group_id: int, title: str, creator_id: int, *member_ids: int) -> Group:
        """Add a basic group; its peer id in records and for `inject` is `-group_id`.

        Raises:
            ValueError: the id is taken or somebody does not exist.
        """
        members = (creator_id, *member_ids)
        group = Group(group_id, title, creator_id, members, self._state.store.now())
        self._state.directory.add_group(group)
        return group
