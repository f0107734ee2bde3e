"""The control surface for what goes wrong in calls: faults by order, and salts that change."""

from butler_demo.mtproto.control.base import Control
from butler_demo.mtproto.dispatch import check_method
from butler_demo.mtproto.faults import Delay, Fault, Loss, Moment, Refusal
from butler_demo.mtproto.records import Call


class FaultControl(Control):
    """The calls as the data centre saw them, and how the next ones fail."""

    @property
    def calls(self) -> list[Call]:
        """The RPC calls so far (the last 100,000), oldest first."""
        return list(self._dispatcher.calls)

    def fail(
        self,
        method: str,
        code: int,
        message: str,
        *,
        times: int | None = 1,
        user_id: int | None = None,
        after: int = 0,
    ) -> None:
        """Answer the next calls of a method (`messages.sendMessage`, `*` for any) with an error.

        For instance 420 FLOOD_WAIT_33, 406 AUTH_KEY_DUPLICATED, 400 PEER_FLOOD, 500 RPC_CALL_FAIL. `times=None`:
        from now on. `after` so many calls have passed, `user_id`: of one account only; as for all faults here.
        """
        self._order(method, Refusal(code, message), times, user_id, after)

    def drop(
        self,
        method: str,
        moment: Moment,
        *,
        times: int | None = 1,
        user_id: int | None = None,
        cut: bool = True,
        after: int = 0,
    ) -> None:
        """Do not answer the next calls of a method, before or after their effect, and cut the connection.

        With `cut=False` the connection stays, and the client waits in vain.
        """
        self._order(method, Loss(moment, cut), times, user_id, after)

    def delay(
        self, method: str, seconds: float, *, times: int | None = 1, user_id: int | None = None, after: int = 0
    ) -> None:
        """Answer the next calls of a method late; their effect is at once."""
        self._order(method, Delay(seconds), times, user_id, after)

    def heal(self) -> None:
        """Forget all faults that were ordered."""
        self._dispatcher.faults.clear()

    def change_salts(self) -> None:
        """Make the next message of every client fail once with `bad_server_salt`."""
        self._state.authorizations.change_salts()

    def _order(self, method: str, fault: Fault, times: int | None, user_id: int | None, after: int) -> None:
        check_method(method)
        self._dispatcher.faults.add(method, fault, user_id=user_id, times=times, after=after)
