"""Alerts of Alertmanager and Grafana: who may send them, and that each is an event once for each of its states."""

import json
from base64 import b64encode
from datetime import timedelta
from typing import Any

import pytest
from pydantic import ValidationError

from butler.contract.errors import Refuse
from butler.contract.provenance import Trust
from modules._remote.alerts import AlertReceiver
from modules.alertmanager.config import AlertmanagerModuleSettings, AlertmanagerSettings
from modules.alertmanager.module import AlertmanagerModule
from modules.grafana.config import GrafanaModuleSettings, GrafanaSettings
from modules.grafana.module import GrafanaModule
from tests.hooks.harness import NOW
from tests.hooks.signed_requests import Heard, mac, refusal, request, stored
from tests.support.context import make_context

TOKEN = "a token of the alertmanager"


def notification(*alerts: dict[str, Any]) -> bytes:
    """As the documentation of Alertmanager has version 4."""
    told = {
        "receiver": "butler",
        "status": "firing",
        "alerts": list(alerts),
        "groupLabels": {"alertname": "ProbeFailure"},
        "commonLabels": {"job": "http_checks"},
        "commonAnnotations": {},
        "externalURL": "http://prometheus.example.org:9093",
        "version": "4",
        "groupKey": '{}/{severity="critical"}:{alertname="ProbeFailure"}',
        "truncatedAlerts": 0,
    }
    return json.dumps(told).encode()


def alert(status: str = "firing", fingerprint: str = "1a30ba71cca2921f", **more: Any) -> dict[str, Any]:
    return {
        "status": status,
        "labels": {"alertname": "ProbeFailure", "instance": "web-1", "severity": "critical"},
        "annotations": {"description": "It has been down for over 5m.", "summary": "The web server is down"},
        "startsAt": "2026-03-02T08:58:45.828Z",
        "endsAt": "0001-01-01T00:00:00Z",
        "generatorURL": "http://prometheus.example.org:9090/graph?g0.expr=probe_success+%3D%3D+0",
        "fingerprint": fingerprint,
        **more,
    }


def manager(heard: Heard | None = None, secret: str = TOKEN, **settings: Any) -> AlertReceiver:
    bot = AlertmanagerSettings.model_validate(settings)
    names = dict.fromkeys((bot.token_env, bot.password_env), secret)
    context = make_context(secrets=names, event_store=heard or Heard())
    (receiver,) = AlertmanagerModule(AlertmanagerModuleSettings(bot=bot), context).hooks()
    assert isinstance(receiver, AlertReceiver)
    return receiver


async def test_only_who_has_the_token_or_the_password_sends_alerts():
    body = notification(alert())
    basic = "Basic " + b64encode(f"am:{TOKEN}".encode()).decode()
    password = {"token_env": "", "username": "am", "password_env": "PW"}
    assert await refusal(manager(), request(body, Authorization=f"Bearer {TOKEN}")) == 0
    assert await refusal(manager(**password), request(body, Authorization=basic)) == 0
    wrong = ("", "Bearer", "Bearer x", TOKEN, f"Basic {TOKEN}", "Basic !!!", "Basic " + b64encode(b"am:").decode())
    for said in wrong:
        assert await refusal(manager(), request(body, Authorization=said)) == 401
        assert await refusal(manager(**password), request(body, Authorization=said)) == 401
    assert await refusal(manager(secret=""), request(body, Authorization="Bearer ")) == 401


@pytest.mark.parametrize("body", [b"", b"{}", b"[]", b"\xff", b'{"alerts": [{"status": "odd"}]}', b"[" * 100_000])
async def test_what_is_no_notification_is_refused(body: bytes):
    assert await refusal(manager(), request(body, Authorization=f"Bearer {TOKEN}")) == 400
    with pytest.raises(Refuse):
        await manager().act(stored(manager(), await admitted(notification()), body))


async def admitted(body: bytes):
    return await manager().admit(request(body, Authorization=f"Bearer {TOKEN}"))


async def test_each_alert_is_an_event_once_for_each_of_its_states_whatever_the_order():
    heard = Heard()
    receiver = manager(heard)
    groups = [
        notification(alert(), alert(fingerprint="other")),
        notification(alert()),  # sent again, since it still fires
        notification(alert("resolved"), alert(fingerprint="other")),
        notification(alert()),  # an old delivery, overtaken
        notification(alert(startsAt="2026-03-02T10:00:00Z")),  # fires anew
    ]
    for body in groups:
        await receiver.act(stored(receiver, await admitted(body), body))
    assert [(event.subject.split("/")[2][:5], event.facts["state"]) for event in heard.events] == [
        ("1a30b", "firing"),
        ("other", "firing"),
        ("1a30b", "resolved"),
        ("1a30b", "firing"),
    ]
    assert heard.events[0].facts == {
        "source": "alertmanager",
        "name": "ProbeFailure",
        "state": "firing",
        "severity": "critical",
        "instance": "web-1",
        "summary": "The web server is down",
    }
    assert {event.origin.trust for event in heard.events} == {Trust.UNTRUSTED}
    await receiver.act(stored(receiver, await admitted(groups[0]), groups[0], replay=1))
    assert len(heard.events) == 6


async def test_an_alert_without_a_fingerprint_is_known_by_its_labels_and_odd_words_are_made_plain():
    heard = Heard()
    receiver = manager(heard)
    odd = alert(fingerprint="", labels={"alertname": "a\0b\u202e\nc", "n": None}, annotations={"message": "x" * 5_000})
    body = notification(odd)
    for _ in range(2):
        await receiver.act(stored(receiver, await admitted(body), body))
    (event,) = heard.events
    assert (event.facts["name"], event.facts["severity"], event.facts["instance"]) == ("a b c", "", "")
    assert len(str(event.facts["summary"])) == 2_000


def grafana(**settings: Any) -> AlertReceiver:
    bot = GrafanaSettings.model_validate({"url": "http://grafana.example", **settings})
    secrets = {"HOOK": TOKEN}
    (receiver,) = GrafanaModule(
        GrafanaModuleSettings(bot=bot), make_context(secrets=secrets, event_store=Heard())
    ).hooks()
    assert isinstance(receiver, AlertReceiver)
    return receiver


async def test_grafana_signs_its_alerts_with_their_time():
    body, time = notification(alert()), str(int(NOW.timestamp()))
    old = str(int((NOW - timedelta(minutes=10)).timestamp()))
    receiver = grafana(hook_secret_env="HOOK")

    async def status(signed: str, said: str, sent: bytes = body) -> int:
        right = mac(TOKEN, f"{signed}:".encode() + body)
        headers = {"X_Grafana_Alerting_Signature": right, "X_Grafana_Alerting_Timestamp": said}
        return await refusal(receiver, request(sent, **headers))

    assert await status(time, time) == 0
    assert await status(time, time, body + b" ") == 401
    assert await status(old, old) == 401
    assert await status(old, time) == 401
    assert await refusal(receiver, request(body, X_Grafana_Alerting_Signature=mac(TOKEN, body))) == 401
    untimed = grafana(hook_secret_env="HOOK", hook_timestamp_header="")
    assert await refusal(untimed, request(body, X_Grafana_Alerting_Signature=mac(TOKEN, body))) == 0


async def test_grafana_may_send_a_token_instead_and_takes_no_alerts_without_either():
    receiver = grafana(hook_token_env="HOOK")
    assert await refusal(receiver, request(notification(), Authorization=f"Bearer {TOKEN}")) == 0
    assert await refusal(receiver, request(notification(), Authorization="Bearer x")) == 401
    bare = GrafanaModuleSettings(bot=GrafanaSettings(url="http://grafana.example"))
    assert not GrafanaModule(bare, make_context()).hooks()
    with pytest.raises(ValidationError, match="not both"):
        grafana(hook_token_env="HOOK", hook_secret_env="HOOK")


def test_anybody_may_not_send_alerts():
    for wrong in ({"token_env": ""}, {"username": "am"}, {"password_env": "PW"}):
        with pytest.raises(ValidationError):
            AlertmanagerSettings.model_validate(wrong)
    assert not AlertmanagerModule(AlertmanagerModuleSettings(), make_context()).hooks()


async def test_the_doctor_names_the_variable_that_is_missing():
    module = AlertmanagerModule(AlertmanagerModuleSettings(bot=AlertmanagerSettings()), make_context())
    (check,) = await module.checks()
    assert not check.ok
    assert "BUTLER_ALERTMANAGER_TOKEN" in check.detail
    assert await AlertmanagerModule(AlertmanagerModuleSettings(), make_context()).checks() == ()
    for secrets in ({}, {"HOOK": TOKEN}):
        bot = GrafanaSettings(url="http://grafana.example", hook_secret_env="HOOK")
        _, check = await GrafanaModule(GrafanaModuleSettings(bot=bot), make_context(secrets=secrets)).checks()
        assert check.ok is bool(secrets)
        assert check.ok or "HOOK is not set" in check.detail
    bare = GrafanaModuleSettings(bot=GrafanaSettings(url="http://grafana.example"))
    assert len(await GrafanaModule(bare, make_context()).checks()) == 1
