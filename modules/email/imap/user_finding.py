"""Finds a mail of the owner by an id from a list, wherever it lies now."""

from butler.contract.door import failed
from butler.contract.errors import IntegrationErrorCode
from butler.contract.speech import say
from butler.contract.tools import ToolCall
from modules.email.imap.bulk_methods import FOLDERS as ALL_FOLDERS
from modules.email.imap.bulk_methods import AllFolders
from modules.email.imap.connection import INBOX
from modules.email.imap.folders import Role
from modules.email.imap.methods import FOLDERS, Folders
from modules.email.imap.reading import MailboxReading, StoredMail
from modules.email.imap.user_ids import MailRef, read_ref
from modules.email.places import MailPlace
from modules.email.views import MailEntry, ToolFailedError

ROLES = {MailPlace.SPAM: Role.JUNK, MailPlace.TRASH: Role.TRASH}
"""The roles of folders that are looked into only where the owner names them."""


class MailFinder:
    """Finds mails of one account. Failures are `ToolFailedError`."""

    def __init__(self, account: str, calls: MailboxReading) -> None:
        self._account = account
        self._calls = calls

    async def searched_folders(self, call: ToolCall, place: MailPlace | None = None) -> tuple[str, ...]:
        """Return the folders with received mail, or only that of a place, where the account has it."""
        if place is not None and place in ROLES:
            every = AllFolders.model_validate(await self._calls.ask(call, ALL_FOLDERS, {}))
            return tuple(one.name for one in every.folders if one.role == ROLES[place].name.lower())
        folders = await self._folders(call)
        match place:
            case MailPlace.INBOX:
                found = (INBOX,)
            case MailPlace.ARCHIVE:
                found = (folders.archive,)
            case MailPlace.SENT:
                found = (folders.sent,)
            case MailPlace.DRAFTS:
                found = (folders.drafts,)
            case _:
                found = (INBOX, folders.archive)
        return tuple(dict.fromkeys(filter(None, found)))

    async def find(self, call: ToolCall, key: str) -> StoredMail:
        """Return the whole mail with this id."""
        ref = read_ref(key)
        if ref is None:
            raise _failed(IntegrationErrorCode.NOT_FOUND, say("there is no mail {key} in your mailbox", key=key))
        if ref.account != self._account:
            message = say(
                "this mail is in your account {other}, not in {account}", other=ref.account, account=self._account
            )
            raise _failed(IntegrationErrorCode.INVALID_INPUT, message)
        found = await self._in_place(call, ref) or await self._moved(call, ref)
        if found is None:
            raise _failed(IntegrationErrorCode.NOT_FOUND, say("this mail is no longer where it was; search again"))
        return found

    def entry(self, stored: StoredMail) -> MailEntry:
        """Return what is known of a mail besides its text."""
        mail, fetched = stored.read.mail, stored.fetched
        ref = MailRef(self._account, stored.folder, stored.uidvalidity, fetched.uid, mail.message_id)
        thread = f"mail:{mail.thread_root or ref.place}"
        return MailEntry(str(ref), thread, fetched.received_at, "\\Seen" not in fetched.flags, fetched.size)

    async def _in_place(self, call: ToolCall, ref: MailRef) -> StoredMail | None:
        try:
            mails = await self._calls.mails(call, ref.folder, ref.uidvalidity, [ref.uid], headers_only=False)
        except ToolFailedError as failure:
            _raise_unless_gone(failure)
            return None
        return next((mail for mail in mails if mail.read.mail.message_id == ref.message_id), None)

    async def _moved(self, call: ToolCall, ref: MailRef) -> StoredMail | None:
        """Find the mail under another number, or in another folder."""
        if not ref.message_id:
            return None
        folders = await self._folders(call)
        for folder in dict.fromkeys(filter(None, (ref.folder, INBOX, folders.archive, folders.everything))):
            try:
                found = await self._calls.by_message_id(call, ref.message_id, folder)
            except ToolFailedError as failure:
                _raise_unless_gone(failure)
                continue
            if found is not None:
                return found
        return None

    async def _folders(self, call: ToolCall) -> Folders:
        return Folders.model_validate(await self._calls.ask(call, FOLDERS, {}))


def _raise_unless_gone(failure: ToolFailedError) -> None:
    error = failure.result.error
    if error is None or error.code is not IntegrationErrorCode.NOT_FOUND:
        raise failure


def _failed(code: IntegrationErrorCode, message: str) -> ToolFailedError:
    return ToolFailedError(failed(code, message))
