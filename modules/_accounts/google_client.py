# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportMissingTypeStubs=false, reportAttributeAccessIssue=false
# Google's client builds its methods at run time, and httplib2 has no annotations.
"""Google's own client, made safe: separate threads, a configurable root URL, and no hidden repeats.

httplib2 repeats a request of any kind when the connection ends without an answer, which would send a mail twice or
leave two drafts; here only GET is repeated. Access tokens come from outside, so that no thread renews one.
"""

import asyncio
import json
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from butler.contract.errors import IntegrationFault
from modules._accounts.google_download import Download
from modules._accounts.google_errors import SignIn, fault_of

REQUEST_S, DOWNLOAD_S = 40.0, 110.0
MOST_AT_ONCE = 50
"""Most requests in one batch, as Google recommends."""
_THREADS = 3

Build = Callable[[Any], Any]
"""Builds a request from the part of a service that `Api` selects."""


@dataclass(frozen=True, slots=True)
class Api:
    """One of Google's services: its discovery document, and the part of it whose requests are made."""

    name: str
    version: str
    part: Callable[[Any], Any]


class GoogleClient:
    """Runs requests of one account in threads of its own. Imports and builds nothing before the first request."""

    def __init__(self, api: Api, api_root: str) -> None:
        self._api, self._api_root = api, api_root
        self._executor = ThreadPoolExecutor(_THREADS, thread_name_prefix=api.name)
        self._building = threading.Lock()
        self._service: Any = None
        self._of_thread = threading.local()
        self._guard = threading.Lock()
        self._idle = set[Any]()
        """The connections of threads that do nothing now; only their own thread may touch the others."""
        self._closed = False

    async def run(self, build: Build, token: str, sign_in: SignIn) -> dict[str, Any]:
        """Execute one request; raise `IntegrationFault`."""
        return await self._in_thread(self._execute, build, token, sign_in)

    async def run_many(
        self, builds: Sequence[Build], token: str, sign_in: SignIn
    ) -> list[dict[str, Any] | IntegrationFault]:
        """Execute up to `MOST_AT_ONCE` reading requests as one batch; each has its own answer or fault.

        Raise `IntegrationFault` if the batch as a whole failed.
        """
        return await self._in_thread(self._execute_many, builds, token, sign_in)

    async def download(self, build: Build, token: str, sign_in: SignIn, into: Path, largest: int) -> int:
        """Write a file's content to `into`, in pieces; return its size in bytes. Raise `IntegrationFault`.

        Cancelling it also ends its thread.
        """
        download = Download(into, largest)
        try:
            async with asyncio.timeout(DOWNLOAD_S):
                return await self._in_thread(self._download, build, token, sign_in, download)
        except TimeoutError as error:
            download.give_up()
            raise fault_of(error, sign_in) from error
        except asyncio.CancelledError:
            download.give_up()
            raise

    def close(self) -> None:
        """Shut down the threads, and close their connections; one under way is closed by its own thread at its end."""
        with self._guard:
            self._closed = True
            while self._idle:
                self._idle.pop().close()
        self._executor.shutdown(wait=False, cancel_futures=True)

    async def _in_thread(self, work: Callable[..., Any], *args: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._executor, self._worked, work, *args)

    def _worked(self, work: Callable[..., Any], *args: Any) -> Any:
        if not hasattr(self._of_thread, "http"):
            self._of_thread.http = _once_http()
        http = self._of_thread.http
        with self._guard:
            self._idle.discard(http)
        try:
            return work(*args)
        finally:
            with self._guard:
                if self._closed:
                    http.close()
                else:
                    self._idle.add(http)

    def _execute(self, build: Build, token: str, sign_in: SignIn) -> dict[str, Any]:
        try:
            answer = build(self._part()).execute(http=self._http(token), num_retries=0)
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
            part = self._part()
            batch = self._client().new_batch_http_request(callback=take)
            for number, build in enumerate(builds):
                batch.add(build(part), request_id=str(number))
            batch.execute(http=self._http(token))
        except Exception as error:
            raise fault_of(error, sign_in) from error
        return [answers[str(number)] for number in range(len(builds))]

    def _download(self, build: Build, token: str, sign_in: SignIn, download: Download) -> int:
        try:
            request = build(self._part())
            request.http = self._http(token)
            return download.run(request, self._of_thread.http)
        except Exception as error:
            raise fault_of(error, sign_in) from error

    def _part(self) -> Any:
        return self._api.part(self._client())

    def _client(self) -> Any:
        with self._building:
            if self._service is None:
                self._service = _build_service(self._api, self._api_root)
            return self._service

    def _http(self, token: str) -> Any:
        from google.oauth2.credentials import Credentials  # noqa: PLC0415 - heavy, and only when Google is used
        from google_auth_httplib2 import AuthorizedHttp  # noqa: PLC0415 - as above

        return AuthorizedHttp(Credentials(token=token), http=self._of_thread.http, refresh_status_codes=())


def _build_service(api: Api, api_root: str) -> Any:
    from googleapiclient.discovery import build_from_document  # noqa: PLC0415 - heavy
    from googleapiclient.discovery_cache import get_static_doc  # noqa: PLC0415 - heavy

    document = json.loads(get_static_doc(api.name, api.version) or "{}")
    document["rootUrl"] = api_root
    document["baseUrl"] = urljoin(api_root, str(document["servicePath"]))
    document.pop("mtlsRootUrl", None)
    return build_from_document(document, http=_once_http())


def _once_http() -> Any:
    import httplib2  # noqa: PLC0415 - only when Google is used

    class OnceHttp(httplib2.Http):
        """Sends any request but GET exactly once, over a connection that cannot be stale."""

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
