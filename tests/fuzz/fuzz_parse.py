"""Fuzzes the reading of a mail: whatever its bytes are, it is read in time, and into what can be kept."""

from modules.email import (
    parse,
    parse_css,
    parse_flowed,
    parse_headers,
    parse_html,
    parse_mime,
    parse_names,
    parse_parts,
    parse_patiently,
    parse_report,
    parse_text,
    parse_tnef,
)
from modules.email.parsed import from_json, to_json
from tests.fuzz.harness import run

WATCHED = (
    *(parse, parse_css, parse_flowed, parse_headers, parse_html, parse_mime, parse_names, parse_parts),
    *(parse_patiently, parse_report, parse_text, parse_tnef),
)


def target(data: bytes) -> None:
    """Read a mail of these bytes, both ways, and hold what must hold of any."""
    mail, files = parse.parse_mail(data)
    plain, same_files = parse.parse_mail(data, understand=False)
    assert [file.size for file in mail.attachments] == [len(content) for content in files]
    assert (plain.attachments, plain.text, same_files) == (mail.attachments, mail.text, files)
    assert from_json(to_json([mail])) == [mail]
    for text in (mail.text, mail.subject, mail.words, *(file.name for file in mail.attachments)):
        text.encode()
        assert "\0" not in text
    for file in mail.attachments:
        assert file.name
        assert not set("/\\\r\n") & set(file.name)


if __name__ == "__main__":
    run(target, [module.__name__ for module in WATCHED])
