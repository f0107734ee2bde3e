"""A proxy's word is believed from a proxy of one's own, and no further than it knows."""

import pytest

from butler.hooks.proxies import Proxies, Sender

OWN = ("10.0.0.0/8", "::1")


@pytest.mark.parametrize(
    ("peer", "said", "address"),
    [
        ("203.0.113.9", "198.51.100.7", "203.0.113.9"),
        ("10.0.0.1", "198.51.100.7", "198.51.100.7"),
        ("10.0.0.1", "1.2.3.4, 198.51.100.7", "198.51.100.7"),
        ("10.0.0.1", "1.2.3.4, 198.51.100.7, 10.0.0.2", "198.51.100.7"),
        ("10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"),
        ("10.0.0.1", "1.2.3.4, nonsense", "10.0.0.1"),
        ("10.0.0.1", "1.2.3.4, unknown, 10.0.0.2", "10.0.0.2"),
        ("10.0.0.1", "", "10.0.0.1"),
        ("10.0.0.1", "198.51.100.7:4711", "198.51.100.7"),
        ("10.0.0.1", "[2001:db8::7]:4711", "2001:db8::7"),
        ("10.0.0.1", "2001:db8::7", "2001:db8::7"),
        ("::ffff:10.0.0.1", "198.51.100.7", "198.51.100.7"),
        ("::1", "::ffff:198.51.100.7", "198.51.100.7"),
        ("", "198.51.100.7", "unknown"),
        ("10.0.0.1", ", ".join(["1.2.3.4"] * 10_000), "1.2.3.4"),
    ],
    ids=lambda value: value[:40],
)
def test_the_sender_is_the_last_that_is_no_proxy_of_ones_own(peer: str, said: str, address: str):
    headers = {"x-forwarded-for": said, "forwarded": "for=9.9.9.9"}
    assert Proxies(OWN).sender(peer, headers, "http").address == address


def test_what_the_proxy_next_to_us_says_of_scheme_and_host_is_taken_from_it_alone():
    headers = {
        "host": "inside",
        "x-forwarded-for": "198.51.100.7",
        "x-forwarded-proto": "gopher, https",
        "x-forwarded-host": "evil.example, butler.example",
    }
    assert Proxies(OWN).sender("10.0.0.1", headers, "http") == Sender("198.51.100.7", "https", "butler.example")
    assert Proxies(OWN).sender("203.0.113.9", headers, "http") == Sender("203.0.113.9", "http", "inside")
    nobody = Proxies(OWN).sender("10.0.0.1", {**headers, "x-forwarded-proto": "gopher"}, "http")
    assert nobody.scheme == "http"


@pytest.mark.parametrize(
    ("said", "sender"),
    [
        ("for=198.51.100.7;proto=https;host=b.example", Sender("198.51.100.7", "https", "b.example")),
        ('For="[2001:db8::7]:4711"; Proto=HTTPS', Sender("2001:db8::7", "https", "inside")),
        ('for=1.2.3.4;host="a, b", for=198.51.100.7', Sender("198.51.100.7", "http", "inside")),
        ("for=1.2.3.4, for=_hidden", Sender("10.0.0.1", "http", "inside")),
        ("for=1.2.3.4, proto=https", Sender("10.0.0.1", "https", "inside")),
        ('for="unclosed', Sender("10.0.0.1", "http", "inside")),
        ("", Sender("10.0.0.1", "http", "inside")),
        (",,,", Sender("10.0.0.1", "http", "inside")),
    ],
)
def test_the_standard_header_is_read_where_the_settings_name_it(said: str, sender: Sender):
    headers = {"forwarded": said, "x-forwarded-for": "9.9.9.9", "host": "inside"}
    assert Proxies(OWN, forwarded=True).sender("10.0.0.1", headers, "http") == sender
