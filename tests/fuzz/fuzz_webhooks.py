"""Fuzzes what webhooks send: it is refused or becomes an event whose texts anybody can store and read."""

import asyncio
from datetime import UTC, datetime

from butler.contract.errors import Refuse
from butler.contract.events import MOST_TEXT, Event
from butler.contract.hooks import HookRefusedError, HookRequest, StoredHook
from butler.hooks import proxies
from butler.hooks.proxies import Proxies
from modules._remote import alerts
from modules._remote.alerts import AlertReceiver
from modules.hooks import receiver, template
from modules.hooks.config import Endpoint
from modules.hooks.receiver import EndpointReceiver
from tests.fuzz.harness import run
from tests.support.context import make_context

WATCHED = (alerts, receiver, template, proxies)
SECRET = "secret"
_AT = datetime(2026, 11, 27, 10, tzinfo=UTC)
_KINDS = ("application/json", "application/x-www-form-urlencoded", "")


class _Told:
    """Meets `EventStore`."""

    async def tell(self, event: Event, key: str) -> bool:
        texts = [str(fact) for fact in event.facts.values()]
        assert all(len(text) <= MOST_TEXT for text in texts)
        assert all(letter.isprintable() for text in [*texts, event.subject] for letter in text)
        key.encode()
        return True


_CONTEXT = make_context(secrets={"X": SECRET}, event_store=_Told())
_PLAIN = {"secret_env": "X", "algorithm": "plain"}
_RECEIVERS = (
    AlertReceiver("alertmanager", lambda _: None, _Told()),
    EndpointReceiver(Endpoint.model_validate({"name": "a", **_PLAIN, "template": "{a.b.0} {who}"}), _CONTEXT),
    EndpointReceiver(Endpoint.model_validate({"name": "b", **_PLAIN, "id": "event.id"}), _CONTEXT),
)


def target(data: bytes) -> None:
    """Admit and act on it at each receiver, and read it as the word of a proxy."""
    asyncio.run(_sent(data))
    said = data.decode("latin-1")
    for forwarded in (False, True):
        sender = Proxies(("10.0.0.0/8",), forwarded=forwarded).sender(
            "10.0.0.1", {"x-forwarded-for": said, "x-forwarded-proto": said, "forwarded": said}, "http"
        )
        assert sender.scheme in {"http", "https"}
        assert len(sender.address) <= 64, "an address"


async def _sent(data: bytes) -> None:
    for one in _RECEIVERS:
        for kind in _KINDS:
            headers = {"x-signature": SECRET, "content-type": kind}
            request = HookRequest("POST", "http://b/", "", {}, headers, data, "198.51.100.7", _AT)
            try:
                admitted = await one.admit(request)
                await one.act(StoredHook("h", one.name, admitted.headers, data, _AT))
            except (HookRefusedError, Refuse):
                continue
            assert len(admitted.key) <= 400


def starts() -> list[bytes]:
    """What to begin with."""
    return [
        b'{"alerts":[{"status":"firing","labels":{"alertname":"A","n":null},"startsAt":"x","fingerprint":"f"}]}',
        b'{"a":{"b":["x"]},"who":"\\ud800\\u0000","event":{"id":"e1"}}',
        b"who=Anna&a.b=%00%ff",
        b'for="[2001:db8::7]:1";proto=https;host="a,b", for=_x',
        b"1.2.3.4, [::1]:80, 10.0.0.2",
    ]


if __name__ == "__main__":
    run(target, [module.__name__ for module in WATCHED], starts())
