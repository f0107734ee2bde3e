"""What every part of the control surface works with."""

from butler_demo.mtproto.announcer import Announcer
from butler_demo.mtproto.context import State
from butler_demo.mtproto.dispatch import Dispatcher


class Control:
    """The data centre's state, who is connected, and the calls."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._announcer = Announcer(state)
        self._dispatcher = Dispatcher(state)
