"""An endpoint of one's own lets through who signs as the settings say, and makes one event of each delivery."""

import json
from datetime import timedelta
from typing import Any

import pytest
from pydantic import ValidationError

from butler.contract.provenance import Trust
from modules._remote.hook_signs import digest
from modules.hooks.config import Endpoint, HooksBotSettings, HooksModuleSettings
from modules.hooks.module import HooksModule
from modules.hooks.receiver import EndpointReceiver
from modules.hooks.template import template
from tests.hooks.harness import NOW
from tests.hooks.signed_requests import Heard, mac, mac64, refusal, request, stored
from tests.support.context import make_context

SECRET = "a secret of the doorbell"
BODY = b'{"event": {"id": "e1"}, "who": "Anna"}'
TIME = str(int(NOW.timestamp()))
OLD = str(int((NOW - timedelta(minutes=6)).timestamp()))


def receiver(heard: Heard | None = None, secret: str = SECRET, **settings: Any) -> EndpointReceiver:
    context = make_context(secrets={"BELL": secret}, event_store=heard or Heard())
    return EndpointReceiver(Endpoint.model_validate({"name": "bell", "secret_env": "BELL", **settings}), context)


GITHUB = {"header": "X-Hub-Signature-256", "prefix": "sha256=", "id_header": "X-GitHub-Delivery"}
STRIPE = {"header": "Stripe-Signature", "fields": True, "id": "event.id"}
SLACK = {"header": "X-Slack-Signature", "prefix": "v0=", "timestamp_header": "X-T", "signed": "v0:{timestamp}:{body}"}
GITLAB = {"header": "X-Gitlab-Token", "algorithm": "plain"}
BEARER = {"header": "Authorization", "algorithm": "plain", "prefix": "Bearer "}
SHOP = {"header": "X-Shop", "encoding": "base64", "algorithm": "sha512"}
SLACKS = mac(SECRET, f"v0:{TIME}:".encode() + BODY)
STRIPES = mac(SECRET, f"{TIME}.".encode() + BODY)


@pytest.mark.parametrize(
    ("settings", "headers"),
    [
        pytest.param({}, {"X_Signature": mac(SECRET, BODY)}, id="plain hmac"),
        pytest.param(
            GITHUB, {"X_Hub_Signature_256": f"sha256={mac(SECRET, BODY)}", "X_GitHub_Delivery": "d"}, id="git"
        ),
        pytest.param(STRIPE, {"Stripe_Signature": f"t={TIME},v0=x,v1=0,v1={STRIPES}"}, id="stripe"),
        pytest.param(SLACK, {"X_Slack_Signature": f"v0={SLACKS}", "X_T": TIME}, id="slack"),
        pytest.param(GITLAB, {"X_Gitlab_Token": SECRET}, id="token"),
        pytest.param(BEARER, {"Authorization": f"Bearer {SECRET}"}, id="bearer"),
        pytest.param(SHOP, {"X_Shop": mac64(SECRET, BODY, "sha512")}, id="base64"),
    ],
)
async def test_who_signs_as_the_settings_say_is_let_through_and_nobody_else(
    settings: dict[str, Any], headers: dict[str, str]
):
    assert await refusal(receiver(**settings), request(BODY, **headers)) == 0
    assert await refusal(receiver(**settings), request(BODY)) == 401
    assert await refusal(receiver(secret="", **settings), request(BODY, **headers)) == 401
    assert await refusal(receiver(secret="another", **settings), request(BODY, **headers)) == 401
    if settings.get("algorithm") != "plain":
        assert await refusal(receiver(**settings), request(BODY + b" ", **headers)) == 401


@pytest.mark.parametrize(
    ("settings", "headers"),
    [
        pytest.param({}, {"X_Signature": mac(SECRET, BODY).upper()}, id="upper case"),
        pytest.param({}, {"X_Signature": ""}, id="empty"),
        pytest.param({}, {"X_Signature": f"{mac(SECRET, BODY)}, {mac(SECRET, BODY)}"}, id="two headers"),
        pytest.param({}, {"X_Signature": "é" * 64}, id="no ascii"),
        pytest.param(GITHUB, {"X_Hub_Signature_256": mac(SECRET, BODY)}, id="no prefix"),
        pytest.param(SLACK, {"X_Slack_Signature": f"v0={SLACKS}"}, id="no time"),
        pytest.param(SLACK, {"X_Slack_Signature": f"v0={SLACKS}", "X_T": str(int(TIME) + 1)}, id="another time"),
        pytest.param(SLACK, {"X_Slack_Signature": f"v0={SLACKS}", "X_T": "9" * 400}, id="no time there will be"),
        pytest.param(SLACK, {"X_Slack_Signature": f"v0={SLACKS}", "X_T": "٣" * 10}, id="digits of elsewhere"),
        pytest.param(
            SLACK,
            {"X_Slack_Signature": "v0=" + mac(SECRET, f"v0:{OLD}:".encode() + BODY), "X_T": OLD},
            id="replayed after six minutes",
        ),
        pytest.param(STRIPE, {"Stripe_Signature": f"v1={mac(SECRET, BODY)}"}, id="stripe without a time"),
        pytest.param(STRIPE, {"Stripe_Signature": f"t={TIME}"}, id="stripe without a signature"),
        pytest.param(STRIPE, {"Stripe_Signature": f"t={TIME}" + ",v1=0" * 9 + f",v1={STRIPES}"}, id="many guesses"),
    ],
)
async def test_what_is_nearly_right_is_refused(settings: dict[str, Any], headers: dict[str, str]):
    assert await refusal(receiver(**settings), request(BODY, **headers)) == 401


async def test_a_delivery_is_known_by_its_id_or_else_by_its_body_for_an_hour():
    signed = {"X_Signature": mac(SECRET, BODY)}
    by_id, by_body = receiver(id="event.id"), receiver()
    named, unnamed = await by_id.admit(request(BODY, **signed)), await by_body.admit(request(BODY, **signed))
    assert (named.key, named.within) == ("id:e1", None)
    assert (unnamed.key, unnamed.within) == (digest(BODY), timedelta(hours=1))
    other = BODY.replace(b"Anna", b"Bob")
    assert (await by_body.admit(request(other, X_Signature=mac(SECRET, other)))).key != unnamed.key
    for body in (b"{}", b'{"event": {"id": {}}}', b'{"event": {"id": true}}', b'{"event": {"id": ""}}', b"\xff", b"[]"):
        assert await refusal(by_id, request(body, X_Signature=mac(SECRET, body))) == 400
    long = json.dumps({"event": {"id": "x" * 301}}).encode()
    assert await refusal(by_id, request(long, X_Signature=mac(SECRET, long))) == 400


def test_what_is_too_deep_to_be_written_is_shown_as_nothing():
    deep: list[Any] = []
    for _ in range(5_000):
        deep = [deep]
    assert template("{a}{b}!").fill({"a": deep, "b": "c"}, 100) == "c!"


async def test_what_is_signed_is_a_key_too_where_the_id_in_a_header_is_not():
    git = {"X_Hub_Signature_256": f"sha256={mac(SECRET, BODY)}"}
    one, other = [await receiver(**GITHUB).admit(request(BODY, **git, X_GitHub_Delivery=id_)) for id_ in ("d", "e")]
    assert (one.key, other.key) == ("id:d", "id:e")
    assert one.signed == other.signed != ""

    fields = {**STRIPE, "id": "", "id_header": "X-Id"}
    later = str(int(TIME) + 1)
    signatures = [f"t={at},v1={mac(SECRET, f'{at}.'.encode() + BODY)}" for at in (TIME, later)]
    at_times = [await receiver(**fields).admit(request(BODY, Stripe_Signature=said, X_Id="d")) for said in signatures]
    assert at_times[0].signed != at_times[1].signed

    for settings in ({"id": "event.id"}, {}):
        assert not (await receiver(**settings).admit(request(BODY, X_Signature=mac(SECRET, BODY)))).signed
    plain = await receiver(**GITLAB, id_header="X-Id").admit(request(BODY, X_Gitlab_Token=SECRET, X_Id="d"))
    assert not plain.signed


@pytest.mark.parametrize(
    ("body", "kind", "made_by", "text"),
    [
        (BODY, "application/json; charset=utf-8", "{who} ({event.id})", "Anna (e1)"),
        (BODY, "application/json", "", '{"event": {"id": "e1"}, "who": "Anna"}'),
        (b"who=Anna+B&x=", "application/x-www-form-urlencoded", "{who}{x}!", "Anna B!"),
        (b"who=a&" * 600, "application/x-www-form-urlencoded", "{who}!", "!"),
        (b"ring", "text/plain", "{text}", "ring"),
        (b'["a", {"b": 1.5}]', "", "{0} {1.b} {2} {1.b.c}", "a 1.5"),
        (b'{"who": "{secret} {{who}} %s ${x}\\u202e\\u0000\\nX"}', "", "{who}", "{secret} {{who}} %s ${x} X"),
        (b"\xff\x00", "", "{text}", "\ufffd"),
        (b"[" * 100_000, "", "{a}", ""),
        (b'{"who": "\\ud800"}', "", "<{who}>", "<>"),
    ],
    ids=range(10),
)
async def test_a_template_makes_a_text_of_it_and_reads_none_out_of_it(body: bytes, kind: str, made_by: str, text: str):
    heard = Heard()
    bell = receiver(heard, template=made_by)
    sent = request(body, X_Signature=mac(SECRET, body), Content_Type=kind)
    await bell.act(stored(bell, await bell.admit(sent), body))
    assert heard.events[0].facts == {"endpoint": "bell", "text": text}
    assert heard.events[0].origin.trust is Trust.UNTRUSTED


async def test_it_is_one_event_however_often_it_is_acted_on_and_one_more_for_a_replay():
    heard = Heard()
    bell = receiver(heard, tell=True)
    admitted = await bell.admit(request(BODY, X_Signature=mac(SECRET, BODY)))
    for replay in (0, 0, 1, 1):
        await bell.act(stored(bell, admitted, BODY, replay=replay))
    assert len(heard.events) == 2
    assert heard.events[0].subject.endswith("/tell")


@pytest.mark.parametrize("text", ["{", "}", "{}", "{a b}", "{a..b}", "{{a}}", "{a.__class__!r}", "{a[0]}", "{a:9}"])
def test_a_template_has_places_and_nothing_else(text: str):
    with pytest.raises(ValueError, match=r"no place|stands alone"):
        template(text)


def test_a_text_of_a_template_ends_somewhere():
    many = template("{a}" * 300)
    assert len(many.fill({"a": "x" * 10_000}, 2_000)) == 2_000


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"name": "Bell"}, "pattern"),
        ({"secret_env": ""}, "at least 1"),
        ({"algorithm": "plain", "timestamp_header": "X-T"}, "signs nothing"),
        ({"algorithm": "md5"}, "sha256"),
        ({"fields": True, "prefix": "x"}, "their own time"),
        ({"signed": "{timestamp}.{body}"}, "in which timestamp_header"),
        ({"signed": "{body}", "timestamp_header": "X-T"}, "proves nothing"),
        ({"signed": "x"}, "where the body stands"),
        ({"id": "a", "id_header": "X-Id"}, "not both"),
        ({"id": "a b"}, "names no place"),
        ({"template": "{a b}"}, "names no place"),
        ({"jinja": "{{ 7*7 }}"}, "not permitted"),
    ],
)
def test_settings_that_contradict_themselves_are_refused(settings: dict[str, Any], why: str):
    with pytest.raises(ValidationError, match=why):
        Endpoint.model_validate({"name": "bell", "secret_env": "BELL", **settings})


async def test_the_module_has_an_endpoint_for_each_and_says_which_has_no_secret():
    bell, door = (Endpoint(name=name, secret_env=name.upper()) for name in ("bell", "door"))
    settings = HooksModuleSettings(bot=HooksBotSettings(endpoint=(bell, door)))
    module = HooksModule(settings, make_context(secrets={"BELL": SECRET}))
    assert [one.name for one in module.hooks()] == ["bell", "door"]
    assert [(check.ok, check.name) for check in await module.checks()] == [
        (True, "webhook bell"),
        (False, "webhook door"),
    ]
    assert not HooksModule(HooksModuleSettings(), make_context()).hooks()
    off = HooksModuleSettings(bot=HooksBotSettings(endpoint=(bell,), enabled=False))
    assert not HooksModule(off, make_context()).hooks()
    with pytest.raises(ValidationError, match="two endpoints are called bell"):
        HooksBotSettings(endpoint=(bell, bell))
