"""Maps the errors of Qdrant's client. The key is sent in a header; still, no line that holds it is passed on."""

import json
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from butler.contract.errors import IntegrationErrorCode, IntegrationFault
from butler.contract.speech import say
from modules._remote.causes import root_of
from modules._remote.http import LONGEST_WAIT_S, SENTENCES, fault_of, unreachable, unusable, with_reason

if TYPE_CHECKING:
    from qdrant_client.http.exceptions import UnexpectedResponse


@contextmanager
def clean(timeout_s: float, secrets: tuple[str, ...]) -> Generator[None]:
    """Turn the client's errors into `IntegrationFault` within the context."""
    import httpx  # noqa: PLC0415 - comes with the client
    from qdrant_client.common.client_exceptions import (  # noqa: PLC0415 - heavy
        QdrantException,
        ResourceExhaustedResponse,
    )
    from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse  # noqa: PLC0415 - heavy

    try:
        yield
    except UnexpectedResponse as error:
        raise _refused(error, secrets) from None
    except ResourceExhaustedResponse as error:
        # The server may send any number of digits.
        raise _wait(str(error.message), float(max(0, min(error.retry_after_s, LONGEST_WAIT_S))), secrets) from None
    except QdrantException:
        # The only other kind: told to wait, in a form without a duration.
        raise _wait("", None, secrets) from None
    except ResponseHandlingException as error:
        match error.source:
            case IntegrationFault() as fault:
                raise fault from None
            case httpx.TimeoutException():
                text = say("the server has not answered within {seconds} s", seconds=f"{timeout_s:g}")
                raise IntegrationFault(IntegrationErrorCode.TIMEOUT, text) from None
            case httpx.TransportError() as broken:
                raise unreachable(root_of(broken)) from None
            case _:
                raise unusable("answer of Qdrant's") from None
    except (ValueError, AssertionError, RecursionError):
        raise unusable("answer of Qdrant's") from None


def _refused(error: "UnexpectedResponse", secrets: tuple[str, ...]) -> IntegrationFault:
    status = error.status_code or 0
    if status < 300:  # noqa: PLR2004 - HTTP's own number
        return unusable("answer of Qdrant's")
    return fault_of(
        status, _error_text(error.content), retry_after=error.headers.get("retry-after", ""), secrets=secrets
    )


def _error_text(content: bytes) -> str:
    """Return Qdrant's own reason, without its log prefix."""
    try:
        answer: Any = json.loads(content)
        return str(answer["status"]["error"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return content[:200].decode("utf-8", "replace")


def _wait(said: str, seconds: float | None, secrets: tuple[str, ...]) -> IntegrationFault:
    code = IntegrationErrorCode.RATE_LIMITED
    return IntegrationFault(code, with_reason(SENTENCES[code], said, secrets), http_status=429, retry_after_s=seconds)
