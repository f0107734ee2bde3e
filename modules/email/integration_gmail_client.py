# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportMissingTypeStubs=false, reportAttributeAccessIssue=false
# Google's client builds its methods at run time, and httplib2 has no annotations.
"""Google's own client for Gmail, made safe: threads apart, a movable root, and no request sent twice behind our back.

httplib2 repeats a request of any kind when the connection ends without an answer, which would send a mail twice or
leave two drafts; here only GET is repeated.
"""

import asyncio
import json
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from typing import Any

from butler.contract.errors import Effect, IntegrationErrorCode, IntegrationFault

REQUEST_S = 40.0
_THREADS = 3
_RATE_REASONS = frozenset({"rateLimitExceeded", "userRateLimitExceeded", "quotaExceeded", "dailyLimitExceeded"})
_SIGN_IN = "make new Gmail credentials (docs/how-to/connect-mail.md)"
_MEANINGS: dict[int, tuple[IntegrationErrorCode, str]] = {
    HTTPStatus.UNAUTHORIZED: (IntegrationErrorCode.AUTH_REQUIRED, f"Gmail does not accept the sign-in; {_SIGN_IN}"),
    HTTPStatus.FORBIDDEN: (IntegrationErrorCode.FORBIDDEN, f"the sign-in does not allow this; {_SIGN_IN}"),
    HTTPStatus.NOT_FOUND: (IntegrationErrorCode.NOT_FOUND, "Gmail has no such mail or draft"),
    HTTPStatus.CONFLICT: (IntegrationErrorCode.CONFLICT, "Gmail says that this was changed meanwhile"),
    HTTPStatus.TOO_MANY_REQUESTS: (IntegrationErrorCode.RATE_LIMITED, "Gmail asks to be called less often"),
}


class GmailClient:
    """Runs requests of one account in threads of its own. Nothing is imported or built before the first."""

    def __init__(self, credentials_json: str, api_root: str) -> None:
        self._credentials_json = credentials_json
        self._api_root = api_root
        self._executor = ThreadPoolExecutor(_THREADS, thread_name_prefix="gmail")
        self._building = threading.Lock()
        self._service: Any = None
        self._of_thread = threading.local()
        self._https: list[Any] = []

    async def run(self, build: Callable[[Any], Any]) -> dict[str, Any]:
        """Execute the request that `build` makes of `users()`; raises `IntegrationFault`."""
        return await asyncio.get_running_loop().run_in_executor(self._executor, self._execute, build)

    def close(self) -> None:
        """Let the threads end, and close their connections."""
        self._executor.shutdown(wait=False, cancel_futures=True)
        while self._https:
            self._https.pop().close()

    def _execute(self, build: Callable[[Any], Any]) -> dict[str, Any]:
        try:
            request = build(self._users())
            answer = request.execute(http=self._http(), num_retries=0)
        except IntegrationFault:
            raise
        except Exception as error:
            raise fault_of(error) from error
        return answer if isinstance(answer, dict) else {}

    def _users(self) -> Any:
        with self._building:
            if self._service is None:
                self._service = _build_service(self._api_root)
            return self._service.users()

    def _http(self) -> Any:
        if not hasattr(self._of_thread, "http"):
            from google_auth_httplib2 import AuthorizedHttp  # noqa: PLC0415 - heavy, and only when Gmail is used

            self._of_thread.http = AuthorizedHttp(_credentials(self._credentials_json), http=_once_http())
            self._https.append(self._of_thread.http)
        return self._of_thread.http


def _build_service(api_root: str) -> Any:
    from googleapiclient.discovery import build_from_document  # noqa: PLC0415 - heavy
    from googleapiclient.discovery_cache import get_static_doc  # noqa: PLC0415 - heavy

    document = json.loads(get_static_doc("gmail", "v1") or "{}")
    document["rootUrl"] = document["baseUrl"] = api_root
    document.pop("mtlsRootUrl", None)
    return build_from_document(document, http=_once_http())


def _credentials(text: str) -> Any:
    from google.oauth2.credentials import Credentials  # noqa: PLC0415 - heavy

    try:
        info = json.loads(text)
        return Credentials(
            token=None,
            refresh_token=info["refresh_token"],
            token_uri=info.get("token_uri", "https://oauth2.googleapis.com/token"),
            client_id=info["client_id"],
            client_secret=info["client_secret"],
        )
    except (ValueError, KeyError, TypeError) as error:
        raise IntegrationFault(
            IntegrationErrorCode.AUTH_REQUIRED, f"the Gmail credentials are no authorized_user JSON; {_SIGN_IN}"
        ) from error


def _once_http() -> Any:
    import httplib2  # noqa: PLC0415 - only when Gmail is used

    class OnceHttp(httplib2.Http):
        """Sends what is not a GET exactly once, over a connection that cannot be stale."""

        def _conn_request(self, conn: Any, request_uri: str, method: str, body: Any, headers: Any) -> Any:
            if method == "GET":
                return super()._conn_request(conn, request_uri, method, body, headers)
            conn.close()
            conn.connect()
            conn.request(method, request_uri, body, headers)
            response = conn.getresponse()
            content = response.read()
            return httplib2.Response(response), content

    return OnceHttp(timeout=REQUEST_S)


def fault_of(error: Exception) -> IntegrationFault:
    """A typed fault for whatever Google's client raised. Its texts may hold a mail, so only codes are kept."""
    from google.auth.exceptions import RefreshError  # noqa: PLC0415 - heavy
    from googleapiclient.errors import HttpError  # noqa: PLC0415 - heavy

    if isinstance(error, HttpError):
        return _of_http(error)
    if isinstance(error, RefreshError):
        if error.retryable:
            return IntegrationFault(
                IntegrationErrorCode.UNAVAILABLE, "Google cannot renew the sign-in now", effect=Effect.NONE
            )
        return IntegrationFault(IntegrationErrorCode.AUTH_REQUIRED, f"Google does not accept the sign-in; {_SIGN_IN}")
    if isinstance(error, TimeoutError):
        return IntegrationFault(IntegrationErrorCode.TIMEOUT, "Gmail did not answer")
    if isinstance(error, ConnectionRefusedError) or type(error).__name__ == "ServerNotFoundError":
        return IntegrationFault(IntegrationErrorCode.UNAVAILABLE, "Gmail cannot be reached", effect=Effect.NONE)
    return IntegrationFault(IntegrationErrorCode.UNAVAILABLE, "the connection to Gmail was lost")


def _of_http(error: Any) -> IntegrationFault:
    status = int(error.resp.status)
    reason = _reason(error.content)
    code, message = _meaning(status, reason)
    return IntegrationFault(
        code,
        message,
        provider_code=reason,
        http_status=status,
        retry_after_s=_seconds(error.resp.get("retry-after", "")),
    )


def _meaning(status: int, reason: str) -> tuple[IntegrationErrorCode, str]:
    if status == HTTPStatus.FORBIDDEN and reason in _RATE_REASONS:
        status = HTTPStatus.TOO_MANY_REQUESTS
    if status in _MEANINGS:
        return _MEANINGS[status]
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return IntegrationErrorCode.UNAVAILABLE, "Gmail is not available now"
    return IntegrationErrorCode.REJECTED, f"Gmail refused this ({status} {reason})"


def _reason(content: bytes) -> str:
    try:
        error = json.loads(content)["error"]
        reason = str(error["errors"][0]["reason"])
    except (ValueError, KeyError, IndexError, TypeError):
        return ""
    return reason if reason.isalnum() else ""


def _seconds(value: str) -> float | None:
    return float(value) if value.isdigit() else None
