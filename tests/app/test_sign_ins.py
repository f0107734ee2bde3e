"""A sign-in on the command line is written down, and told to the daemon, which knows whether it can go on."""

from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from butler.contract.names import Identity
from butler.sign_ins import SIGNED_IN, SignIns, announce
from butler.store.open import open_store
from butler.store.queries import audit, work

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)
SUBJECT = f"telegram:work:{NOW.isoformat()}"


class Heard:
    """What each of the others was told."""

    def __init__(self, *accounts):
        self.told, self.again_of, self.renewed = [], [], []
        self.module = SimpleNamespace(channel="telegram", signed_in=self.signed_in)
        self.tools = [SimpleNamespace(channel="telegram", identity=Identity.USER, accounts=accounts)]
        self.handler = SignIns([self.module], self, self, self)

    async def signed_in(self):
        self.renewed.append("telegram")

    def again(self, channel, occasion):
        self.again_of.append((channel, occasion))

    def specs(self):
        return self.tools

    async def tell(self, key, sentence, sign):
        self.told.append((key, sentence, sign))


async def test_an_account_that_the_daemon_has_goes_on():
    heard = Heard("main", "work")
    await heard.handler.signed_in(SUBJECT)
    assert heard.renewed == ["telegram"]
    assert heard.again_of == [("telegram", NOW.isoformat())]
    [(key, sentence, sign)] = heard.told
    assert (sentence, sign) == ("Telegram: the account “work” is signed in, and I go on with it", "🔑")
    assert key == f"signed_in:{SUBJECT}", "so that a handler that runs twice says it once"


@pytest.mark.parametrize("accounts", [(), ("main",)])
async def test_an_account_that_it_does_not_have_yet_wants_a_restart(accounts):
    heard = Heard(*accounts)
    await heard.handler.signed_in(SUBJECT)
    assert (heard.renewed, heard.again_of) == ([], [])
    assert "restart me, so that I read its settings" in heard.told[0][1]


async def test_a_channel_that_it_does_not_have_wants_a_restart():
    heard = Heard("main")
    await heard.handler.signed_in(SUBJECT.replace("telegram", "email"))
    assert "restart me" in heard.told[0][1]


def test_it_is_written_into_the_audit_log_and_as_a_work_row(tmp_path):
    store = open_store("sqlite://", data_dir=tmp_path)
    with store.engine.begin() as connection:
        announce(connection, "telegram", "work", NOW)
        [row] = work.ready(connection, NOW)
        assert (row.kind, row.subject) == (SIGNED_IN, SUBJECT)
        assert audit.head(connection)[0] == 1
        announce(connection, "telegram", "work", NOW, tell=False)
        assert len(work.ready(connection, NOW)) == 1
        assert audit.head(connection)[0] == 2
    store.engine.dispose()
