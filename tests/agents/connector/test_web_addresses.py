"""Which addresses are asked for a page: no neighbour, in no spelling, by no name, behind no redirect."""

import socket
from collections.abc import Sequence
from ipaddress import ip_address
from urllib.parse import urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from butler.agents.connector.failures import NotFetchedError
from butler.agents.connector.web_address import Reach, addresses_of, is_own_network, target_of
from butler.contract.addresses import is_public
from butler.contract.errors import ConfigError, Retryable
from tests.support.nightly import examples

NEIGHBOURS = [
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "10.255.255.255",
    "100.64.0.1",
    "100.127.255.254",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "169.254.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.1",
    "192.0.0.171",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.0.1",
    "192.168.255.255",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:0.0.0.0",
    "::ffff:10.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:169.254.169.254",
    "::ffff:224.0.0.1",
    "::ffff:0:127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b::a00:1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::a00:1",
    "64:ff9b:1::808:808",
    "100::1",
    "2001::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "2001:10::1",
    "2001:db8::1",
    "2002:7f00:1::1",
    "2002:a9fe:a9fe::1",
    "2002:c0a8:101::1",
    "2002:808:808::1",
    "3fff::1",
    "4000::1",
    "5f00::1",
    "fc00::1",
    "fd00:ec2::254",
    "fd12:3456::1",
    "fe80::1",
    "fe80::1%eth0",
    "2606:4700::1111%eth0",
    "fec0::1",
    "feff::1",
    "ff02::1",
    "ff0e::1",
]
PUBLIC = [
    "8.8.8.8",
    "1.1.1.1",
    "223.255.255.1",
    "2606:4700::1111",
    "2a00:1450::1",
    "::ffff:8.8.8.8",
    "64:ff9b::808:808",
]

ODD = [
    "http://127.1/",
    "http://127.0.1/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0x7f.0.0.1/",
    "http://0177.0.0.1/",
    "http://127.0.0.0x1/",
    "http://017700000001/",
    "http://127.000.000.001/",
    "http://1.1.1.1.1/",
    "http://①②⑦.⓪.⓪.①/",
    "http://127。0。0。1/",
    "http://ⓛocalhost/",
    "http://localhost/",
    "http://LOCALHOST./",
    "http://router/",
    "http://router./",
    "http://[::1]/",
    "http://[::ffff:7f00:1]/",
    "http://[fe80::1%25eth0]/",
    "http://[fe80::1%eth0]/",
    "http://[v1.x]/",
    "http://[::1/",
    "http://::1/",
    "http://127.0.0.1/",
    "http://127.0.0.1./",
    "http://169.254.169.254/latest/meta-data/",
    "http://user@pages.example/",
    "http://user:secret@pages.example/",
    "http://pages.example@127.0.0.1/",
    "http://pages.example:80@127.0.0.1/",
    "http://pages.example\\@127.0.0.1/",
    "http://pages.example%2f@127.0.0.1/",
    "http://pages.example%00.evil.example/",
    "http://%31%32%37.0.0.1/",
    "http://pages..example/",
    "http://.pages.example/",
    "http://pages.example../",
    "http://-pages.example/",
    "http://pages.example:22/",
    "http://pages.example:6379/",
    "http://pages.example:8080/",
    "http://pages.example:0/",
    "http://pages.example:99999/",
    "http://pages.example:x/",
    "http://pages.exa mple/",
    "http://pages.example/a b",
    "http://pages.example/\r\nX: y",
    "http://pages.example/\tx",
    "http://pages.example/\x00",
    "http://pages.example/\u202etxt",
    "http://pages.example/\udc80",
    "http:///etc/passwd",
    "http:pages.example",
    "//pages.example/",
    "ftp://pages.example/",
    "file:///etc/passwd",
    "gopher://pages.example:70/_x",
    "data:text/html,hello",
    "javascript:alert(1)",
    "view-source:http://pages.example",
    "jar:http://pages.example!/",
    "unix:/run/docker.sock",
    "https://" + "a" * 5_000 + ".example/",
    "https://" + "a" * 64 + ".example/",
    "",
    "   ",
    "pages",
]


def resolving(*addresses: str):
    async def resolve(_host: str) -> Sequence[str]:
        return addresses

    return resolve


async def refused(url: str, reach: Reach | None = None, *, by: Sequence[str] = ()) -> str:
    reach = reach or Reach()
    with pytest.raises(NotFetchedError) as caught:
        await addresses_of(target_of(url, reach), reach, resolving(*by))
    return caught.value.message


@pytest.mark.parametrize("address", NEIGHBOURS)
async def test_a_name_that_leads_to_a_neighbour_is_not_asked_even_beside_a_public_address(address: str):
    assert not is_public(ip_address(address))
    assert await refused("https://pages.example/", by=["8.8.8.8", address])


@pytest.mark.parametrize("address", PUBLIC)
async def test_a_public_address_may_be_asked(address: str):
    reach = Reach()
    found = await addresses_of(target_of("https://pages.example/", reach), reach, resolving(address))
    assert found == (ip_address(address),)


@pytest.mark.parametrize("url", ODD)
async def test_what_is_no_plain_address_of_a_public_server_is_refused_before_anybody_is_asked(url: str):
    async def nobody(_host: str) -> Sequence[str]:
        raise AssertionError("asked")

    reach = Reach()
    with pytest.raises(NotFetchedError) as caught:
        await addresses_of(target_of(url, reach), reach, nobody)
    message = caught.value.message
    assert message
    assert "\n" not in message
    assert "secret" not in message


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("https://Pages.Example", "https://pages.example/"),
        ("HTTP://pages.example:80/a?b=c#d", "http://pages.example/a?b=c"),
        ("https://pages.example.:443/é", "https://pages.example/%C3%A9"),
        ("pages.example", "https://pages.example/"),
        (" www.pages.example/a/../b ", "https://www.pages.example/b"),
        ("pages.example?q=1", "https://pages.example/?q=1"),
        ("https://bücher.example/x", "https://xn--bcher-kva.example/x"),
        ("https://8.8.8.8/", "https://8.8.8.8/"),
        ("https://[2606:4700::1111]:443/", "https://[2606:4700::1111]/"),
    ],
)
def test_an_address_is_taken_as_people_write_it(text: str, url: str):
    assert str(target_of(text, Reach()).url) == url


PIECES = st.sampled_from(
    [*"/:@?#[]%.\\ ", "http", "https", "://", "127.0.0.1", "::1", "pages.example", "0x7f", "①", "。", "xn--"]
)


@given(st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=12).map("".join)))
@settings(max_examples=examples(150), deadline=None)
def test_whatever_is_written_is_refused_or_means_the_same_server_to_everybody(text: str):
    try:
        target = target_of(text, Reach())
    except NotFetchedError:
        return
    assert target.url.raw_host == target.host
    assert urlsplit(str(target.url)).hostname == target.host
    assert (target.url.user, target.url.password, target.url.port) == (None, None, target.port)
    assert target.port in {80, 443}


async def test_a_refusal_says_what_to_set():
    assert '"wiki.home.example" to private_hosts in [connector]' in await refused(
        "http://wiki.home.example/", by=["10.0.0.7"]
    )
    assert '"router" to private_hosts in [connector]' in await refused("http://router/")
    assert '"wiki.home.example:8080" to private_hosts' in await refused("http://wiki.home.example:8080/")
    assert "to private_hosts" not in await refused("http://metadata.example/", by=["169.254.169.254"])


@pytest.mark.parametrize(
    ("hosts", "url", "address", "open_"),
    [
        (["wiki.home.example"], "http://wiki.home.example/", "10.0.0.7", True),
        (["Wiki.Home.Example."], "https://wiki.home.example./", "fd00::7", True),
        (["wiki.home.example"], "http://other.home.example/", "10.0.0.7", False),
        (["wiki.home.example"], "http://x.wiki.home.example/", "10.0.0.7", False),
        (["wiki.home.example"], "http://wiki.home.example.evil.example/", "10.0.0.7", False),
        (["wiki.home.example"], "http://wiki.home.example:8080/", "10.0.0.7", False),
        (["wiki.home.example:8080"], "http://wiki.home.example:8080/", "192.168.1.2", True),
        (["wiki.home.example:8080"], "http://wiki.home.example/", "192.168.1.2", False),
        (["wiki.home.example"], "http://wiki.home.example/", "169.254.169.254", False),
        (["wiki.home.example"], "http://wiki.home.example/", "0.0.0.0", False),
        (["wiki.home.example"], "http://wiki.home.example/", "224.0.0.1", False),
        (["wiki.home.example"], "http://wiki.home.example/", "64:ff9b::a9fe:a9fe", False),
        (["localhost"], "http://localhost/", "127.0.0.1", True),
        (["nas"], "http://nas/", "100.64.0.5", True),
        (["192.168.1.2:3000"], "http://192.168.1.2:3000/", "", True),
        (["192.168.1.2:3000"], "http://192.168.1.3:3000/", "", False),
        (["[fd00::7]:3000"], "http://[fd00::7]:3000/", "", True),
    ],
)
async def test_the_setting_opens_exactly_the_hosts_that_it_names(hosts: list[str], url: str, address: str, open_: bool):
    reach = Reach.of(hosts)
    if open_:
        assert await addresses_of(target_of(url, reach), reach, resolving(address))
    else:
        await refused(url, reach, by=[address])


@pytest.mark.parametrize(
    "host", ["http://wiki.home.example", "wiki/x", "", "me@wiki", "wiki:x", "a b", "*.home.example"]
)
def test_a_setting_that_is_no_host_is_refused_with_what_to_write(host: str):
    with pytest.raises(ConfigError, match=r"private_hosts in \[connector\]"):
        Reach.of([host])


def test_only_an_own_machine_leads_into_the_own_network():
    reach = Reach.of(["wiki.home.example", "nas.home.example"])
    public, own = target_of("https://pages.example/", reach), target_of("http://nas.home.example/", reach)
    assert target_of("http://wiki.home.example/", reach, linked_by=own).is_private
    with pytest.raises(NotFetchedError, match="leads into your own network"):
        target_of("http://wiki.home.example/", reach, linked_by=public)


@pytest.mark.parametrize("address", ["10.1.2.3", "::ffff:192.168.1.1", "::1", "fd00::1", "100.64.1.1"])
def test_an_own_network_is_where_people_have_machines(address: str):
    assert is_own_network(ip_address(address))
    assert not is_public(ip_address(address))


@pytest.mark.parametrize("address", ["169.254.169.254", "fe80::1", "fd00::1%eth0", "0.0.0.0", "8.8.8.8", "ff02::1"])
def test_a_clouds_metadata_is_no_own_network(address: str):
    assert not is_own_network(ip_address(address))


async def test_a_name_that_nobody_has_is_not_there_and_one_that_cannot_be_looked_up_is_tried_again():
    async def unknown(_host: str) -> Sequence[str]:
        raise socket.gaierror(socket.EAI_NONAME, "nobody")

    async def away(_host: str) -> Sequence[str]:
        raise socket.gaierror(socket.EAI_AGAIN, "later")

    target = target_of("https://pages.example/", Reach())
    with pytest.raises(NotFetchedError, match=r"there is no server pages\.example"):
        await addresses_of(target, Reach(), unknown)
    with pytest.raises(Retryable, match="cannot be looked up now"):
        await addresses_of(target, Reach(), away)
    with pytest.raises(NotFetchedError, match="there is no server"):
        await addresses_of(target, Reach(), resolving())
