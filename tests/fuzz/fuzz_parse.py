"""Fuzzes the reading of a mail: whatever its bytes are, it is read in time, and into what can be kept."""

from butler.html import colours, css, hiding, nesting, stylesheets, visibility
from butler.mime import regular as parse_mime
from butler.mime import text as parse_text
from butler.mime import tolerant as parse_patiently
from modules.email.parsing import flowed as parse_flowed
from modules.email.parsing import headers as parse_headers
from modules.email.parsing import html as parse_html
from modules.email.parsing import names as parse_names
from modules.email.parsing import parser as parse
from modules.email.parsing import parts as parse_parts
from modules.email.parsing import report as parse_report
from modules.email.parsing import tnef as parse_tnef
from modules.email.parsing.parsed import from_json, to_json
from tests.fuzz.harness import run

WATCHED = (
    *(parse, parse_flowed, parse_headers, parse_html, parse_mime, parse_names, parse_parts),
    *(parse_patiently, parse_report, parse_text, parse_tnef),
    *(colours, css, hiding, nesting, stylesheets, visibility),
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
