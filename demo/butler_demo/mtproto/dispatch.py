# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon's TL classes carry no complete types.)
"""RPC: finds the method that a request means, runs it or the fault that was ordered, and notes the call."""

import logging
import struct
from collections import deque
from typing import Any

from telethon.tl import TLRequest, functions, types
from telethon.tl.alltlobjects import LAYER, tlobjects

from butler_demo.faults import ANY_CALL, FaultOrders
from butler_demo.mtproto.authorizations import Authorization
from butler_demo.mtproto.context import Context, State
from butler_demo.mtproto.errors import RpcFault
from butler_demo.mtproto.faults import Fault, Loss, Moment, Refusal
from butler_demo.mtproto.methods.table import METHODS
from butler_demo.mtproto.peers import named_peer
from butler_demo.mtproto.records import Call
from butler_demo.mtproto.tl import unpack, write_object

logger = logging.getLogger(__name__)

_RPC_RESULT = 0xF35C6D01
_KEPT_CALLS = 100_000
_WRAPPERS = (
    functions.InvokeWithLayerRequest,
    functions.InitConnectionRequest,
    functions.InvokeWithoutUpdatesRequest,
    functions.InvokeAfterMsgRequest,
)


class Dispatcher:
    """Runs calls against the state, one at a time."""

    def __init__(self, state: State) -> None:
        self.calls: deque[Call] = deque(maxlen=_KEPT_CALLS)
        self.faults = FaultOrders[Fault]()
        self._state = state

    def run(self, authorization: Authorization, message_id: int, request: Any) -> bytes | Loss:
        """Run one request and make its `rpc_result`, or say how it gets lost, by order."""
        user_id = authorization.user_id
        error: RpcFault | None = None
        result: Any = None
        loss: Loss | None = None
        method = type(request).__name__
        try:
            request = _unwrap(authorization, request)
            method = method_name(type(request))
            loss = self._ordered_loss(method)
            if loss is None or loss.moment is Moment.AFTER_EFFECT:
                result = self._call(authorization, method, request)
        except RpcFault as caught:
            error = caught
        except Exception:  # a defect here must not look like a broken network, or the client repeats the call
            logger.exception("The test data centre failed in %s.", method)
            error = RpcFault(500, "INTERNAL_SERVER_ERROR")
        message = f"{error.code} {error.message}" if error else None
        self.calls.append(Call(method, user_id, self._state.now(), message, loss is None, named_peer(request)))
        if loss is not None:
            return loss
        body = write_object(types.RpcError(error.code, error.message)) if error else write_object(result)
        return struct.pack("<Iq", _RPC_RESULT, message_id) + body

    def _ordered_loss(self, method: str) -> Loss | None:
        """The loss that was ordered for this call, if any; an ordered error is raised."""
        fault = self.faults.take(method)
        if isinstance(fault, Refusal):
            raise RpcFault(fault.code, fault.message)
        return fault

    def _call(self, authorization: Authorization, method: str, request: Any) -> Any:
        if not authorization.initialised:
            raise RpcFault(400, "CONNECTION_NOT_INITED")
        handler = METHODS.get(type(request))
        if handler is None:
            logger.warning("The test data centre does not know the method %s.", method)
            raise RpcFault(400, "INPUT_METHOD_INVALID")
        return handler(Context(self._state, authorization), request)


def method_name(request_class: type[Any]) -> str:
    """The TL name of a method: `messages.sendMessage` of `functions.messages.SendMessageRequest`."""
    namespace = request_class.__module__.removeprefix("telethon.tl.functions").lstrip(".")
    name = request_class.__name__.removesuffix("Request")
    name = name[:1].lower() + name[1:]
    return f"{namespace}.{name}" if namespace else name


def check_method(name: str) -> None:
    """Refuse a name that no method of this TL layer has.

    Raises:
        ValueError: it is misspelt, or written as Telethon names the class.
    """
    requests = (item for item in tlobjects.values() if issubclass(item, TLRequest))
    if name != ANY_CALL and name not in {method_name(request) for request in requests}:
        raise ValueError(f"there is no method {name!r}: write it as `messages.sendMessage`, or {ANY_CALL!r}")


def wants_no_updates(request: Any) -> bool:
    """Whether a client says with this request that its connection must not get updates."""
    return isinstance(request, functions.InvokeWithoutUpdatesRequest)


def _unwrap(authorization: Authorization, request: Any) -> Any:
    """The query inside the layers around it; noting that the client has introduced itself."""
    while isinstance(request, _WRAPPERS):
        if isinstance(request, functions.InvokeWithLayerRequest) and request.layer != LAYER:
            raise RpcFault(400, "CONNECTION_LAYER_INVALID")
        if isinstance(request, functions.InitConnectionRequest):
            if request.api_id <= 0:
                raise RpcFault(400, "CONNECTION_API_ID_INVALID")
            authorization.initialised = True
        request = unpack(request.query)
    return request
