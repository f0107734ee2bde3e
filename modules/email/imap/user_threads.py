"""Lists the owner's conversations: as the server groups them, or grouped here from the newest mails."""

from collections.abc import Sequence

from butler.contract.integration import IntegrationResult
from butler.contract.speech import say
from butler.contract.tools import ToolCall
from modules.email.args import ListThreadsArgs
from modules.email.imap.connection import INBOX
from modules.email.imap.methods import SEARCH, THREADS, Found, Threads
from modules.email.imap.reading import MailboxReading, StoredMail
from modules.email.imap.threads import conversations
from modules.email.imap.user_finding import MailFinder
from modules.email.views import Conversation, row, thread_listing

_MOST_GROUPED = 500
"""The most mails whose headers are fetched if the server does not group conversations."""


class UserThreads:
    """Lists conversations of one account's inbox. Failures are `ToolFailedError`."""

    def __init__(self, finder: MailFinder, calls: MailboxReading) -> None:
        self._finder = finder
        self._calls = calls

    async def listed(self, call: ToolCall, args: ListThreadsArgs) -> IntegrationResult:
        """Answer `list_threads`: the conversations with a matching mail, newest first."""
        matching, complete, reason = await self._calls.matching(call, args)
        if not matching:
            return thread_listing([], 0, complete=complete, reason=reason)
        result = Threads.model_validate(await self._calls.ask(call, THREADS, {"folder": INBOX}))
        threads = result.threads
        if not result.offered:
            threads, all_of_them = await self._grouped(call)
            if complete and not all_of_them:
                complete, reason = False, say("only the newest {count} mails were looked at", count=_MOST_GROUPED)
        wanted = set(matching)
        found = sorted((thread for thread in threads if not wanted.isdisjoint(thread)), key=max, reverse=True)
        shown = await self._conversations(call, result.uidvalidity, found[: args.limit])
        return thread_listing(shown, len(found), complete=complete, reason=reason)

    async def _grouped(self, call: ToolCall) -> tuple[list[list[int]], bool]:
        every = await self._found(call, {})
        newest = every.uids[:_MOST_GROUPED]
        mails = await self._calls.mails(call, INBOX, every.uidvalidity, newest, headers_only=True)
        return conversations({mail.fetched.uid: mail.read.mail for mail in mails}), len(newest) == len(every.uids)

    async def _conversations(
        self, call: ToolCall, uidvalidity: int, threads: Sequence[Sequence[int]]
    ) -> list[Conversation]:
        newest = [max(thread) for thread in threads]
        mails = await self._calls.mails(call, INBOX, uidvalidity, newest, headers_only=True)
        shown = {mail.fetched.uid: self._row(mail) for mail in mails}
        unread = set((await self._found(call, {"unread": True})).uids)
        return [
            Conversation(shown[max(thread)], len(thread), len(unread.intersection(thread)))
            for thread in threads
            if max(thread) in shown
        ]

    async def _found(self, call: ToolCall, criteria: dict[str, object]) -> Found:
        return Found.model_validate(await self._calls.ask(call, SEARCH, criteria))

    def _row(self, mail: StoredMail) -> dict[str, object]:
        return row(mail.read.mail, self._finder.entry(mail))
