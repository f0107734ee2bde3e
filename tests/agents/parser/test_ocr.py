"""Text is read out of pictures, on request, as far as the time goes."""

import time

from butler.agents.parser import ocr as ocr_module
from butler.agents.parser.ocr import Ocr, _paragraphs, _Piece, _upright
from tests.agents.parser.conftest import whole
from tests.agents.parser.files import line, pdf, picture


def test_a_picture_that_is_upside_down_is_read(reading):
    output = reading(picture("Serial 8841 Berlin", turned=180), "image")
    assert whole(output).replace(" ", "") == "Serial8841Berlin"
    assert output.chunks[0].layout_type == "image"
    assert output.chunks[0].bbox is not None


def test_where_it_is_switched_off_the_owner_is_told(reading):
    output = reading(picture("Serial 8841"), "image", ocr=False)
    assert output.chunks == []
    assert "`[documents] ocr`" in output.problems[0]


def test_no_page_is_begun_that_would_not_be_done_in_time(monkeypatch):
    monkeypatch.setattr(ocr_module, "_FIRST_GUESS_S", 5.0)
    late = Ocr(enabled=True, deadline=time.process_time() + 1)
    assert not late.has_time
    assert "more time" in late.why_not


def test_text_that_is_there_is_read_by_ocr_on_request_only(reading, monkeypatch):
    seen: list[int] = []
    monkeypatch.setattr(ocr_module, "_found", lambda image: seen.append(image.width) or [])
    data = pdf(line("A page of real text, which needs no picture to be read at all.", 700))
    reading(data, "pdf")
    assert seen == []
    output = reading(data, "pdf", force_ocr=True)
    assert len(seen) == 1
    assert "real text" in whole(output)


def test_where_it_fails_the_text_that_is_there_is_kept_and_the_page_is_told(reading, monkeypatch):
    def broken(image):
        raise RuntimeError("no memory")

    monkeypatch.setattr(ocr_module, "_found", broken)
    output = reading(pdf(line("Kept.", 700)), "pdf", force_ocr=True)
    assert whole(output) == "Kept."
    assert "Not read: page 1" in output.problems[0]
    blank = reading(pdf(""), "pdf", force_ocr=True)
    assert blank.problems == ["Without any text: page 1."]


def test_lines_are_put_in_order_and_what_stands_side_by_side_is_one_line():
    def piece(text, x, y):
        return _Piece(text, (x, y, x + 50, y + 10), (x, y, x + 50, y + 10))

    pieces = [piece("48.00", 100, 1), piece("Fee:", 0, 0), piece("now", 0, 14), piece("Bye", 0, 80)]
    assert [found.text for found in _paragraphs(pieces)] == ["Fee: 48.00\nnow", "Bye"]


def test_a_place_is_turned_to_where_a_reader_sees_it():
    # A picture of 100 by 200: its lower left corner, seen from each side.
    place = (0.0, 190.0, 10.0, 200.0)
    turns = {
        (sideways, flipped): _upright(place, 100, 200, sideways=sideways, flipped=flipped)
        for sideways in (False, True)
        for flipped in (False, True)
    }
    assert turns == {
        (False, False): (0, 190, 10, 200),
        (False, True): (90, 0, 100, 10),
        (True, False): (190, 90, 200, 100),
        (True, True): (0, 0, 10, 10),
    }
