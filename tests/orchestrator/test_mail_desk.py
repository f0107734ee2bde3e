"""What becomes of a mail to the butler: a note, a notice, or nothing; never an act."""

from butler.store.queries import inbox
from butler.store.queries.inbox import InboxState
from tests.orchestrator.house import House
from tests.orchestrator.things import mail


async def test_a_mail_that_the_butler_wrote_itself_is_no_news(house: House) -> None:
    item = await house.come_in(mail("Hello.", payload={"subject": "Re: Dinner", "own": True}))
    await house.run()
    assert house.phone.said == []
    assert await house.store.read(lambda c: inbox.state(c, item.inbound_id)) is InboxState.IGNORED


async def test_a_mail_that_cannot_be_read_is_told_once_and_kept(house: House) -> None:
    item = await house.come_in(mail("", payload={"quarantine": "it is larger than 25 MB"}))
    await house.run()
    await house.handlers["inbound"](item.inbound_id)
    await house.run()
    (said,) = house.phone.said
    assert "it is larger than 25 MB" in said
    assert await house.store.read(lambda c: inbox.state(c, item.inbound_id)) is InboxState.QUARANTINED


async def test_before_anybody_is_paired_a_mail_is_stored_and_nobody_told(house: House) -> None:
    house.phone.home = lambda: None  # type: ignore[method-assign]
    item = await house.come_in(mail("Hello."))
    await house.run()
    assert house.phone.said == []
    assert await house.store.read(lambda c: inbox.state(c, item.inbound_id)) is InboxState.IGNORED
