"""The control surface for what goes wrong in calls: faults by order."""

from butler_demo.mtproto.control.base import Control
from butler_demo.mtproto.dispatch import check_method
from butler_demo.mtproto.faults import Fault, Loss, Moment, Refusal
from butler_demo.mtproto.records import Call


class FaultControl(Control):
    """The calls as the data centre saw them, and how the next ones fail."""

    @property
    def calls(self) -> list[Call]:
        """The RPC calls so far (the last 100,000), oldest first."""
        return list(self._dispatcher.calls)

    def fail(self, method: str, code: int, message: str, *, times: int | None = 1) -> None:
        """Answer the next `times` calls (None: all) of a method (`messages.sendMessage`, `*` for any) with an error.

        For instance 420 FLOOD_WAIT_33, 406 AUTH_KEY_DUPLICATED, 400 PEER_FLOOD, 500 RPC_CALL_FAIL.
        """
        self._order(method, Refusal(code, message), times)

    def drop(self, method: str, moment: Moment, *, cut: bool = True) -> None:
        """Do not answer the next call of a method, before or after its effect, and cut the connection.

        With `cut=False` the connection stays, and the client waits in vain.
        """
        self._order(method, Loss(moment, cut), 1)

    def _order(self, method: str, fault: Fault, times: int | None) -> None:
        check_method(method)
        self._dispatcher.faults.place(method, fault, times)
