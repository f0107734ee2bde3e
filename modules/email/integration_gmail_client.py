# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportMissingTypeStubs=false, reportAttributeAccessIssue=false
# Google's client builds its methods at run time, and httplib2 has no annotations.
"""Google's own client for Gmail, made safe: threads apart, a movable root, and no request sent twice behind our back.

httplib2 repeats a request of any kind when the connection ends without an answer, which would send a mail twice or
leave two drafts; here only GET is repeated. Access tokens come from outside, so no thread renews one by itself.
"""

import asyncio
import json
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from butler.contract.errors import IntegrationFault
from modules.email.integration_gmail_errors import SignIn, fault_of

REQUEST_S = 40.0
MOST_AT_ONCE = 50
"""Requests in one batch, as Google recommends."""
_THREADS = 3

Build = Callable[[Any], Any]
"""Makes a request of `users()`."""


class GmailClient:
    """Runs requests of one account in threads of its own. Nothing is imported or built before the first."""

    def __init__(self, api_root: str) -> None:
        self._api_root = api_root
        self._executor = ThreadPoolExecutor(_THREADS, thread_name_prefix="gmail")
        self._building = threading.Lock()
        self._service: Any = None
        self._of_thread = threading.local()
        self._https: list[Any] = []

    async def run(self, build: Build, token: str, sign_in: SignIn) -> dict[str, Any]:
        """Execute one request; raises `IntegrationFault`."""
        return await self._in_thread(self._execute, build, token, sign_in)

    async def run_many(
        self, builds: Sequence[Build], token: str, sign_in: SignIn
    ) -> list[dict[str, Any] | IntegrationFault]:
        """Execute up to `MOST_AT_ONCE` reading requests as one batch; each has its own answer or fault.

        Raises `IntegrationFault` when the batch as a whole did not work.
        """
        return await self._in_thread(self._execute_many, builds, token, sign_in)

    def close(self) -> None:
        """Let the threads end, and close their connections."""
        self._executor.shutdown(wait=False, cancel_futures=True)
        while self._https:
            self._https.pop().close()

    async def _in_thread(self, work: Callable[..., Any], *args: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._executor, work, *args)

    def _execute(self, build: Build, token: str, sign_in: SignIn) -> dict[str, Any]:
        try:
            answer = build(self._client().users()).execute(http=self._http(token), num_retries=0)
        except Exception as error:
            raise fault_of(error, sign_in) from error
        return answer if isinstance(answer, dict) else {}

    def _execute_many(
        self, builds: Sequence[Build], token: str, sign_in: SignIn
    ) -> list[dict[str, Any] | IntegrationFault]:
        answers: dict[str, dict[str, Any] | IntegrationFault] = {}

        def take(number: str, answer: Any, error: Exception | None) -> None:
            answers[number] = answer if error is None else fault_of(error, sign_in)

        try:
            client = self._client()
            batch = client.new_batch_http_request(callback=take)
            for number, build in enumerate(builds):
                batch.add(build(client.users()), request_id=str(number))
            batch.execute(http=self._http(token))
        except Exception as error:
            raise fault_of(error, sign_in) from error
        return [answers[str(number)] for number in range(len(builds))]

    def _client(self) -> Any:
        with self._building:
            if self._service is None:
                self._service = _build_service(self._api_root)
            return self._service

    def _http(self, token: str) -> Any:
        from google.oauth2.credentials import Credentials  # noqa: PLC0415 - heavy, and only when Gmail is used
        from google_auth_httplib2 import AuthorizedHttp  # noqa: PLC0415 - as above

        if not hasattr(self._of_thread, "http"):
            self._of_thread.http = _once_http()
            self._https.append(self._of_thread.http)
        return AuthorizedHttp(Credentials(token=token), http=self._of_thread.http, refresh_status_codes=())


def _build_service(api_root: str) -> Any:
    from googleapiclient.discovery import build_from_document  # noqa: PLC0415 - heavy
    from googleapiclient.discovery_cache import get_static_doc  # noqa: PLC0415 - heavy

    document = json.loads(get_static_doc("gmail", "v1") or "{}")
    document["rootUrl"] = document["baseUrl"] = api_root
    document.pop("mtlsRootUrl", None)
    return build_from_document(document, http=_once_http())


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
