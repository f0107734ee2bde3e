"""Who gives a mail the id of another one, or knows the id of one of ours, does not make the butler mean theirs."""

from butler.contract.mail import Person, ReportFacts
from tests.orchestrator.harness import MAIL, Harness, planned, step
from tests.orchestrator.mails import DINNER, owners
from tests.orchestrator.test_mail_reports import BOT_REPLY, report, sent_token

MALLORY = Person(address="mallory@evil.example", name="Anna")


async def test_what_the_owner_passed_on_is_not_what_a_forged_mail_with_its_id_holds(harness: Harness) -> None:
    await harness.come_in(owners("", DINNER))
    await harness.run()
    forged = owners("", DINNER.model_copy(update={"sender": MALLORY}), proved=False)
    await harness.come_in(forged.model_copy(update={"inbound_id": "forged", "dedup_key": "forged"}))
    await harness.run()
    output = planned(step(1, BOT_REPLY, message_id={"handle": "mail-1"}, body="I'll come"))
    await harness.say("reply that I'll come", output)
    await harness.tap("Approve")
    (sent,) = harness.outputs()
    assert sent.tool == MAIL
    assert [to.address for to in sent.args.to] == ["mail:anna@friends.example"]


async def test_a_report_about_somebody_the_mail_was_not_sent_to_says_so_and_is_told_once(harness: Harness) -> None:
    token = await sent_token(harness)
    before = len(harness.phone.said)
    item = report(token)
    assert item.mail is not None
    (genuine,) = item.mail.reports
    lies = tuple(genuine.model_copy(update={"recipient": f"boss{number}@work.example"}) for number in range(50))
    mail_facts = item.mail.model_copy(update={"reports": (*lies, ReportFacts.model_validate(genuine))})
    await harness.come_in(item.model_copy(update={"mail": mail_facts}))
    await harness.run()
    first, second = harness.phone.said[before:]
    assert "I did not write to this address" in first
    assert "My mail to boss" not in first
    assert second.startswith("📭 My mail to anna@friends.example did not arrive")
