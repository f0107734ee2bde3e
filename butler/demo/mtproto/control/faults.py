# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon's TL classes carry no complete types.)
"""The control surface for what goes wrong: faults by order, sessions that end, salts that change."""

from telethon.tl import types

from butler.demo.mtproto.control.base import Control
from butler.demo.mtproto.dispatch import check_method
from butler.demo.mtproto.faults import Loss, Moment, Refusal
from butler.demo.mtproto.records import Call


class FaultControl(Control):
    """The calls as the data centre saw them, and how the next ones fail."""

    @property
    def calls(self) -> list[Call]:
        """The RPC calls so far (the last 100,000), oldest first."""
        return list(self._dispatcher.calls)

    def fail(self, method: str, code: int, message: str, *, times: int | None = 1, user_id: int | None = None) -> None:
        """Answer the next calls of a method (`messages.sendMessage`, `*` for any) with an error.

        For instance 420 FLOOD_WAIT_33, 406 AUTH_KEY_DUPLICATED, 400 PEER_FLOOD. `times=None`: from now on.
        """
        check_method(method)
        self._dispatcher.faults.add(method, Refusal(code, message), user_id=user_id, times=times)

    def drop(
        self,
        method: str,
        moment: Moment,
        *,
        times: int | None = 1,
        user_id: int | None = None,
        cut: bool = True,
    ) -> None:
        """Do not answer the next calls of a method, before or after their effect, and cut the connection.

        With `cut=False` the connection stays, and the client waits in vain.
        """
        check_method(method)
        self._dispatcher.faults.add(method, Loss(moment, cut), user_id=user_id, times=times)

    def heal(self) -> None:
        """Forget all faults that were ordered."""
        self._dispatcher.faults.clear()

    def revoke(self, user_id: int, *, tell: bool = True) -> None:
        """End all sessions of an account: their calls answer 401 SESSION_REVOKED from now on.

        Telegram makes a client that is connected look (`updatesTooLong`), so that it learns of it at once;
        with `tell=False` it learns at its next call.
        """
        connections = self._announcer.connections_of(user_id)
        self._state.authorizations.revoke(user_id)
        for connection in connections if tell else ():
            connection.push(types.UpdatesTooLong())

    def change_salts(self) -> None:
        """Make the next message of every client fail once with `bad_server_salt`."""
        self._state.authorizations.change_salts()
