"""What a site asks programs not to read, as RFC 9309 has it and as sites write it."""

import time

import pytest

from butler.agents.connector.robots_rules import Rule, rules_for


@pytest.mark.parametrize(
    ("rule", "path", "fits"),
    [
        ("/", "/anything", True),
        ("/fish", "/fish.html", True),
        ("/fish", "/Fish", False),
        ("/fish/", "/fish", False),
        ("/*.pdf$", "/a/b.pdf", True),
        ("/*.pdf$", "/a/b.pdf?x", False),
        ("/*.pdf$", "/.pdf.pdf", True),
        ("/*.pdf", "/a/b.pdf?x", True),
        ("/search?*q=", "/search?x=1&q=2", True),
        ("/fish*", "/fishing", True),
        ("/fish$", "/fish", True),
        ("/fish$", "/fish1", False),
        ("/*/private/*", "/a/private/b", True),
        ("/*/private/*", "/private/b", False),
        ("/a*b*c$", "/abc", True),
        ("/a*bc*bc$", "/abc", False),
        ("*", "/x", True),
        ("$", "/", False),
    ],
)
def test_a_rule_is_about_the_paths_that_it_says(rule: str, path: str, fits: bool):
    assert Rule(rule, allows=False).fits(path) is fits


@pytest.mark.parametrize(
    ("text", "path", "may"),
    [
        ("", "/x", True),
        ("nonsense\n\x00", "/x", True),
        ("Disallow: /", "/x", True),
        ("User-agent: *\nDisallow:", "/x", True),
        ("User-agent: *\nDisallow: /", "/x", False),
        ("user-AGENT : butler\nDISALLOW : /x # the rest", "/x", False),
        ("User-agent: Butler/1.0\nDisallow: /x", "/x", False),
        ("User-agent: butlers\nDisallow: /", "/x", True),
        ("User-agent: butler\nAllow: /\n\nUser-agent: *\nDisallow: /", "/x", True),
        ("User-agent: other\nUser-agent: butler\nDisallow: /x", "/x", False),
        ("User-agent: butler\nDisallow: /a\n\nUser-agent: x\n\nUser-agent: butler\nDisallow: /x", "/x", False),
        ("User-agent: *\nDisallow: /\nAllow: /open", "/open/a", True),
        ("User-agent: *\nAllow: /open\nDisallow: /open/not", "/open/not", False),
        ("User-agent: *\nDisallow: /same\nAllow: /same", "/same", True),
        ("User-agent: *\nDisallow: /größe", "/gr%C3%B6%C3%9Fe", False),
        ("User-agent: *\r\n\r\nDisallow: /x\r\n", "/x", False),
        ("Sitemap: https://x.example/\nUser-agent: *\nDisallow: /x", "/x", False),
    ],
)
def test_the_groups_of_an_agent_count_together_and_the_longest_rule_decides(text: str, path: str, may: bool):
    assert rules_for("Butler", text).may_read(path) is may


@pytest.mark.parametrize(
    ("text", "delay"), [("2", 2.0), ("0.5", 0.5), ("-1", 0.0), ("nan", 0.0), ("inf", 0.0), ("x", 0.0)]
)
def test_a_pause_that_makes_no_sense_is_none(text: str, delay: float):
    assert rules_for("Butler", f"User-agent: *\nCrawl-delay: {text}").delay_s == delay


def test_hostile_rules_take_no_time():
    rule = "Disallow: /" + "*a" * 2_000 + "*b$\n"
    rules = rules_for("Butler", "User-agent: *\n" + rule * 100)
    started = time.process_time()
    assert rules.may_read("/" + "a" * 4_000)
    assert time.process_time() - started < 20
