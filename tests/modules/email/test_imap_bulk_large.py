"""Twenty thousand mails on Dovecot: nothing is lost, done twice or left over, whatever comes in between."""

import asyncio
import random
import resource
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from bench.bulk_imap import SENDER, Lying, Mailbox
from bench.bulk_runs import outcome, run
from butler.store.queries import bulk
from butler.store.queries.bulk import ItemState
from tests.modules.email.imap_account import room_of
from tests.modules.email.mailhost import UserUnderTest, mail, mail_context
from tests.services.dovecot import Dovecot
from tests.services.postfix import Postfix

MANY, SOME, KILLS = 20_000, 2_500, 5
MOST_MB = 60


def folders(lying: Lying) -> Counter[str]:
    return Counter(folder for folder, _, _ in lying)


@pytest.mark.nightly
@pytest.mark.services
@pytest.mark.timeout(300)
async def test_twenty_thousand_are_archived_and_put_back_while_mails_come_and_go(
    postfix: Postfix, dovecot: Dovecot, tmp_path: Path
) -> None:
    context = mail_context(postfix, "many")
    mailbox = await asyncio.to_thread(Mailbox, dovecot, MANY, context.vault.get("ADDRESS"))
    user = UserUnderTest(postfix, context)
    before = await asyncio.to_thread(mailbox.lying)
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    async with room_of(user, tmp_path) as room:
        run_id = await room.begun(action="archive", senders=["hostinger"])
        assert (await room.run(run_id)).total == mailbox.meant
        assert await room.step()
        with mailbox.client() as client:
            client.append("INBOX", "", "", mail("Late", message_id="<late@s>", From=SENDER))
            client.select("INBOX")
            # These are among the last that are archived: what came first goes last.
            _, found = client.uid("SEARCH", "HEADER", "MESSAGE-ID", "<77@s>")
            client.uid("STORE", found[0].decode(), "+FLAGS", "(\\Deleted)")
            client.expunge()
        await room.again().worked_off()
        counts = await room.store.read(lambda c: bulk.counts(c, run_id))
        assert (counts[ItemState.DONE], counts[ItemState.FAILED]) == (mailbox.meant - 1, 1)
        text = await room.text(run_id)
        assert "it is no longer there" in text
        assert "1 more of that kind came meanwhile" in text
        assert folders(await asyncio.to_thread(mailbox.lying)) == {
            "Archive": mailbox.meant - 1,
            "INBOX": len(before) - mailbox.meant + 1,
        }
        assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - held) / 1024 < MOST_MB
        await room.tap(run_id, "Undo")
        await room.worked_off()
    await user.stop()
    after = await asyncio.to_thread(mailbox.lying)
    assert [one for one in after if one[1] != "<late@s>"] == [one for one in before if one[1] != "<77@s>"]


@pytest.mark.nightly
@pytest.mark.services
@pytest.mark.crash
@pytest.mark.timeout(300)
async def test_a_run_that_is_killed_again_and_again_is_whole_and_undone_exactly(
    dovecot: Dovecot, tmp_path: Path
) -> None:
    chance = random.Random(11)
    mailbox = await asyncio.to_thread(Mailbox, dovecot, SOME, "killed@home.example")
    job, environment = mailbox.job(tmp_path), mailbox.environment()
    before = await asyncio.to_thread(mailbox.lying)
    ended = [await run(job, environment, chance.uniform(0.8, 3.5)) for _ in range(KILLS)]
    if not all(ended):
        assert await run(job, environment)
    found = await outcome(tmp_path)
    assert (found.done, found.lost) == (mailbox.meant, 0)
    assert found.again <= 500 * ended.count(False)
    assert folders(await asyncio.to_thread(mailbox.lying)) == {
        "Archive": mailbox.meant,
        "INBOX": len(before) - mailbox.meant,
    }
    back = replace(job, undo=True)
    if not await run(back, environment, chance.uniform(1.0, 3.0)):
        assert await run(back, environment)
    assert await asyncio.to_thread(mailbox.lying) == before
