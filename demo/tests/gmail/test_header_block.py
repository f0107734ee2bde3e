"""Editing headers leaves every other byte alone."""

from butler_demo.gmail.header_block import canonical, drop_field, set_field

RAW = b"To: a@x.example\r\nSubject: one\r\n folded\r\nsubject: two\r\nX: y\r\n\r\nbody\r\n\r\nSubject: no header\r\n"


def test_setting_replaces_the_first_and_drops_the_others():
    changed = set_field(RAW, "Subject", "new")
    assert changed == (b"To: a@x.example\r\nSubject: new\r\nX: y\r\n\r\nbody\r\n\r\nSubject: no header\r\n")


def test_setting_a_missing_header_adds_it_at_the_end():
    assert set_field(b"To: a\r\n\r\nbody", "From", "b") == b"To: a\r\nFrom: b\r\n\r\nbody"


def test_dropping_takes_folded_lines_along():
    assert drop_field(RAW, "Subject") == b"To: a@x.example\r\nX: y\r\n\r\nbody\r\n\r\nSubject: no header\r\n"


def test_a_mail_without_headers_gets_some():
    assert set_field(b"\r\nbody", "From", "b") == b"From: b\r\n\r\nbody"


def test_line_ends_become_crlf():
    assert canonical(b"a\nb\r\nc") == b"a\r\nb\r\nc"
