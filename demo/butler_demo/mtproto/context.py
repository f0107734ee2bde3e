"""What a method's handler works with: the data centre's state and who calls."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from butler_demo.mtproto.authorizations import Authorization, Authorizations
from butler_demo.mtproto.directory import Account, Directory
from butler_demo.mtproto.errors import RpcFault
from butler_demo.mtproto.files import FileStore
from butler_demo.mtproto.message_box import MessageBox
from butler_demo.mtproto.reading import ReadMarks
from butler_demo.mtproto.records import Message
from butler_demo.mtproto.store import Draft, MessageStore

DC_ID = 2
_CODE = "Login code: {code}. Do not give this code to anyone, even if they say they are from Telegram!"


class State:
    """Everything that outlives a connection.

    `names_changed_channels` tells whether a difference names the channels that have changed, as Telegram does for
    some of them; `mute_until` is by account and peer, `login_tokens` has who shows which QR code. `on_muted` and
    `on_scanned` hear of what the name says.
    """

    def __init__(self, now: Callable[[], datetime]) -> None:
        self.now = now
        self.directory = Directory()
        self.store = MessageStore(self.directory, now)
        self.reading = ReadMarks(self.store)
        self.authorizations = Authorizations()
        self.login_tokens: dict[bytes, Authorization] = {}
        self.files = FileStore()
        self.names_changed_channels = True
        self.mute_until: dict[tuple[int, int], datetime] = {}
        self.on_muted: Callable[[int, int], None] = lambda _user_id, _peer_id: None
        self.on_scanned: Callable[[Authorization], None] = lambda _authorization: None
        self.host = ""
        self.port = 0

    def mute(self, user_id: int, peer_id: int, until: datetime | None) -> None:
        """Let an account hear nothing of a conversation until then; a time that is past, or none, unmutes it."""
        if until is None or until <= self.now():
            self.mute_until.pop((user_id, peer_id), None)
        else:
            self.mute_until[user_id, peer_id] = until
        self.on_muted(user_id, peer_id)

    def write_login_code(self, user_id: int) -> Message:
        """Have Telegram's own account tell an account its login code."""
        code = self.directory.accounts[user_id].code
        return self.store.post(Draft(self.directory.telegram().id, user_id, _CODE.format(code=code)))


@dataclass(frozen=True, slots=True)
class Context:
    """One call's surroundings."""

    state: State
    authorization: Authorization

    @property
    def account(self) -> Account:
        """The account that is signed in.

        Raises:
            RpcFault: 401 when nobody is, or when the session was ended.
        """
        if self.authorization.refusal is not None:
            raise RpcFault(401, self.authorization.refusal)
        if self.authorization.user_id is None:
            raise RpcFault(401, "AUTH_KEY_UNREGISTERED")
        return self.state.directory.accounts[self.authorization.user_id]

    @property
    def box(self) -> MessageBox:
        """The message box of the account that is signed in."""
        return self.state.store.box(self.account.id)

    def box_for(self, peer_id: int) -> MessageBox:
        """The box that holds a conversation of the account: the channel's, or the account's own."""
        return self.state.store.box_for(self.account.id, peer_id)


# A request is an instance of the class that is its key; the handler's own signature names it.
Handler = Callable[[Context, Any], Any]
Methods = dict[type[Any], Handler]
