"""What goes wrong inside the data centre: answers with an error code, and clients that break the protocol."""


class RpcFault(Exception):
    """The data centre refuses a call; the client receives it as `rpc_error`."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(f"{code} {message}")
        self.code = code
        self.message = message


class ProtocolViolation(Exception):
    """The client sent bytes that the protocol forbids; its connection is closed."""
