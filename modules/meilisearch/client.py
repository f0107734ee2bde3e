# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportMissingTypeStubs=false, reportMissingParameterType=false, reportUnknownParameterType=false
# Neither Meilisearch's client nor requests below it are fully typed.
"""Meilisearch's own client, and what its errors mean. Loaded with the first call; each call is one in a thread.

By itself the client follows redirects, reads proxies from the environment, takes no certificates and says "Bearer None"
without a key; here it does none of that. The key travels in a header; still, no line with it is passed on.
"""

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import requests
from meilisearch._httprequests import HttpRequests
from meilisearch.config import Config
from meilisearch.errors import MeilisearchApiError, MeilisearchCommunicationError, MeilisearchTimeoutError
from meilisearch.index import Index
from requests.adapters import HTTPAdapter

from butler.contract.errors import IntegrationErrorCode, IntegrationFault
from butler.contract.speech import say
from modules._remote import http
from modules._remote.causes import root_of
from modules._remote.http import SENTENCES, as_code, fault_of, trusting, unreachable, unusable, with_reason

_WHAT = "answer of Meilisearch's"
_KEY_CODES = frozenset({"invalid_api_key", "missing_authorization_header"})
_BUSY = "too_many_search_requests"
_HINT = ". Hint: "


@dataclass(frozen=True, slots=True)
class Server:
    """Where and how to ask; `key` is empty for a server without keys."""

    url: str
    key: str
    timeout_s: float
    tls_ca: str = ""

    def search(self, index: str, query: str, options: dict[str, Any]) -> dict[str, Any]:
        """One search, which blocks. Raises `IntegrationFault`."""
        with requests.Session() as session, _clean(self.timeout_s, self.key):
            # The client passes its time-out on to requests, which takes parts of a second, too.
            config = Config(self.url, self.key or None, timeout=self.timeout_s)  # pyright: ignore[reportArgumentType]
            asked = Index(config, index)
            asked.http = _Http(config, _prepared(session, self.tls_ca), keyless=not self.key)
            answer: Any = asked.search(query, options)
            if not isinstance(answer, dict):
                raise unusable(_WHAT)
            return answer


class _Http(HttpRequests):
    """The client's requests, made through a session that is set up as the house does it."""

    def __init__(self, config: Config, session: requests.Session, *, keyless: bool) -> None:
        super().__init__(config)
        self._session = session
        if keyless:
            del self.headers["Authorization"]

    def send_request(self, http_method: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        return super().send_request(getattr(self._session, http_method.__name__), *args, **kwargs)


def _prepared(session: requests.Session, tls_ca: str) -> requests.Session:
    if tls_ca:
        # requests would say of a file that is not there what nobody can use.
        trusting(tls_ca)
    session.trust_env = False
    session.verify = tls_ca or True
    session.max_redirects = 0
    for scheme in ("http://", "https://"):
        session.mount(scheme, _Bounded())
    return session


class _Bounded(HTTPAdapter):
    """Answers are read up to a length, unpacked: the client reads all that comes."""

    def send(self, *args: Any, **kwargs: Any) -> requests.Response:
        response = super().send(*args, **kwargs)
        response.raw = _BoundedBody(response.raw)
        return response


class _BoundedBody:
    """The body of an answer; all else is as it is in urllib3's."""

    def __init__(self, body: Any) -> None:
        self._body = body

    def stream(self, *args: Any, **kwargs: Any) -> Iterator[bytes]:
        size = 0
        for piece in self._body.stream(*args, **kwargs):
            size += len(piece)
            if size > http.MOST_BYTES:
                self._body.close()
                raise http.too_long()
            yield piece

    def __getattr__(self, name: str) -> Any:
        return getattr(self._body, name)


@contextmanager
def _clean(timeout_s: float, key: str) -> Generator[None]:
    """Within it, what the client raises becomes an `IntegrationFault`."""
    try:
        yield
    except MeilisearchTimeoutError:
        raise IntegrationFault(
            IntegrationErrorCode.TIMEOUT,
            say("the server has not answered within {seconds} s", seconds=f"{timeout_s:g}"),
        ) from None
    except MeilisearchCommunicationError as error:
        raise unreachable(root_of(error)) from None
    except MeilisearchApiError as error:
        raise _refused(error, (key,)) from None
    except requests.TooManyRedirects:
        raise fault_of(302, secrets=(key,)) from None
    except (ValueError, RecursionError):
        raise unusable(_WHAT) from None
    except requests.RequestException as error:
        raise unreachable(root_of(error)) from None


def _refused(error: MeilisearchApiError, secrets: tuple[str, ...]) -> IntegrationFault:
    """Meilisearch's own codes say more than the status: a wrong key is 403 there, and too many searches are 503."""
    provider_code, cause = as_code(error.code or "", secrets), error.__cause__
    response = cause.response if isinstance(cause, requests.HTTPError) else None
    wait = response.headers.get("Retry-After", "") if response is not None else ""
    # Without a word of the server's, the client has a line of its own, with the address.
    said = str(error.message).split(_HINT)[0] if response is not None and response.content else ""
    fault = fault_of(error.status_code, said, retry_after=wait, secrets=secrets, provider_code=provider_code)
    if provider_code in _KEY_CODES:
        return _as(IntegrationErrorCode.AUTH_REQUIRED, fault, said, secrets)
    if provider_code == _BUSY:
        return _as(IntegrationErrorCode.RATE_LIMITED, fault, said, secrets)
    return fault


def _as(code: IntegrationErrorCode, fault: IntegrationFault, said: str, secrets: tuple[str, ...]) -> IntegrationFault:
    return IntegrationFault(
        code,
        with_reason(SENTENCES[code], said, secrets),
        http_status=fault.http_status,
        provider_code=fault.provider_code,
        retry_after_s=fault.retry_after_s,
    )
