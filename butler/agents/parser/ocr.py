"""Reads text in pictures with rapidocr, whose models come with it; nothing is downloaded.

Its memory and time grow with the picture, so pictures are scaled to about a page of 140 dpi.
"""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# rapidocr and numpy leave their arrays untyped.

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from butler.agents.parser.blocks import Box
from butler.agents.parser.bounds import give_memory_back_early
from butler.contract.speech import say

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from PIL.Image import Image
    from rapidocr import RapidOCR

LONGEST_SIDE = 1_600
"""Pixels of the longer side of a picture that is read."""
_DETECTED_AT = 960
"""Pixels of the longer side for the detection of lines; more takes several hundred megabytes."""
_MOST_PAGES = 60
_FIRST_GUESS_S = 4.0
_TALL = 1.5
_THREADS = 1
"""Two threads read a page a third faster, but mostly wait for one another and slow down everything else."""


@dataclass(frozen=True, slots=True)
class Line:
    """A paragraph of adjacent lines."""

    text: str
    box: Box


@dataclass(frozen=True, slots=True)
class _Piece:
    """A detected line: its place in the picture turned upright, and its place in the picture itself."""

    text: str
    upright: Box
    place: Box


class Ocr:
    """Reads pictures until the time or page limit is reached."""

    def __init__(self, *, enabled: bool, deadline: float) -> None:
        """`deadline` is in seconds of this process' processor time."""
        self._enabled = enabled
        self._deadline = deadline
        self._pages = 0
        self._last_s = _FIRST_GUESS_S
        self._failed = ""

    @property
    def why_not(self) -> str:
        """The reason why nothing (more) is read."""
        if not self._enabled:
            return say("reading text out of pictures is switched off by `[documents] ocr`")
        if self._failed:
            return say("what reads text out of pictures failed ({error})", error=self._failed)
        if self._pages >= _MOST_PAGES:
            return say("text is read out of at most {most} pictures of one file", most=_MOST_PAGES)
        return say("reading text out of pictures takes more time than one file may ([documents] timeout_s)")

    @property
    def has_time(self) -> bool:
        """Return whether another page may be read."""
        ready = self._enabled and not self._failed and self._pages < _MOST_PAGES
        return ready and time.process_time() + self._last_s < self._deadline

    def read(self, picture: "Image", scale: float = 1.0, skip: Sequence[Box] = ()) -> list[Line] | None:
        """Return the paragraphs of a picture, or None if there is no time for it.

        No side of the picture may be longer than `LONGEST_SIDE`. `scale` is the size of a pixel in the unit of the
        boxes; the text in the boxes of `skip` is known already.
        """
        if not self.has_time:
            return None
        self._pages += 1
        began = time.process_time()
        try:
            found = _found(picture)
        except MemoryError:
            raise
        except Exception as error:  # noqa: BLE001 - the boundary to native code; the kind is told
            self._failed = type(error).__name__
            return None
        self._last_s = max(0.5, time.process_time() - began) * 1.2
        pieces = [piece for piece in found if not any(_middle_in(piece.place, box, scale) for box in skip)]
        return [Line(line.text, _scaled(line.box, scale)) for line in _paragraphs(pieces)]


@cache
def _engine() -> "RapidOCR":
    import cv2  # noqa: PLC0415 - heavy, only for who reads pictures
    from rapidocr import RapidOCR  # noqa: PLC0415

    give_memory_back_early()
    cv2.setNumThreads(_THREADS)
    models = Path(str(files("rapidocr"))) / "models"
    engine: Any = RapidOCR(
        params={
            "Global.log_level": "critical",
            "Global.max_side_len": LONGEST_SIDE,
            "EngineConfig.onnxruntime.intra_op_num_threads": _THREADS,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
            # Named, so that rapidocr never downloads models.
            "Det.model_path": str(models / "PP-OCRv6_det_small.onnx"),
            "Cls.model_path": str(models / "ch_ppocr_mobile_v2.0_cls_mobile.onnx"),
            "Rec.model_path": str(models / "PP-OCRv6_rec_small.onnx"),
            # A batch of lines takes several hundred megabytes more, and no less time.
            "Rec.rec_batch_num": 1,
            "Det.limit_side_len": _DETECTED_AT,
            "Det.limit_type": "max",
        }
    )
    # rapidocr's settings have no option for these sessions, and it loads a model with the first picture.
    engine._load_det_model().session.session = _session(models / "PP-OCRv6_det_small.onnx")  # noqa: SLF001
    engine._load_rec_model().session.session = _session(models / "PP-OCRv6_rec_small.onnx")  # noqa: SLF001
    return engine


def _session(model: Path) -> "InferenceSession":
    """Open a model without a memory arena, so that its memory does not grow with the second picture."""
    from onnxruntime import InferenceSession, SessionOptions  # noqa: PLC0415 # pyright: ignore[reportAttributeAccessIssue]

    options = SessionOptions()
    options.log_severity_level = 4
    options.enable_cpu_mem_arena = options.enable_mem_pattern = False
    options.intra_op_num_threads = options.inter_op_num_threads = _THREADS
    return InferenceSession(str(model), options, providers=["CPUExecutionProvider"])


def _found(picture: "Image") -> list[_Piece]:
    import numpy as np  # noqa: PLC0415

    pixels = np.asarray(picture.convert("RGB"))[:, :, ::-1]
    engine = _engine()
    prepared, record = engine.preprocess_img(np.ascontiguousarray(pixels))
    # Step by step, because the whole pipeline does not return which lines were upside down.
    lines, turned, texts, crops = engine.run_ocr_steps(prepared, record)
    result = turned.cls_res or []
    answer: Any = engine.build_final_output(pixels, lines, turned, texts, crops, record)
    if answer.boxes is None or answer.txts is None:
        return []
    places = [_around(corners) for corners in answer.boxes.tolist()]
    is_upside_down = sum("180" in label for label, _ in result) * 2 > len(result)
    tall = sum((bottom - top) > _TALL * (right - left) for left, top, right, bottom in places)
    is_sideways = tall * 2 > len(places)
    width, height = picture.size
    return [
        _Piece(text, _upright(place, width, height, sideways=is_sideways, flipped=is_upside_down), place)
        for text, place in zip(answer.txts, places, strict=True)
    ]


def _around(corners: Sequence[Sequence[float]]) -> Box:
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    return min(xs), min(ys), max(xs), max(ys)


def _upright(place: Box, width: float, height: float, *, sideways: bool, flipped: bool) -> Box:
    """Return the place of a box in the picture turned upright."""
    left, top, right, bottom = place
    if sideways:
        return (height - bottom, left, height - top, right) if flipped else (top, width - right, bottom, width - left)
    return (width - right, height - bottom, width - left, height - top) if flipped else place


def _paragraphs(pieces: Sequence[_Piece]) -> list[Line]:
    rows: list[list[_Piece]] = []
    for piece in sorted(pieces, key=lambda one: one.upright[1]):
        if rows and _on_one_line(rows[-1][-1].upright, piece.upright):
            rows[-1].append(piece)
        else:
            rows.append([piece])
    paragraphs: list[list[list[_Piece]]] = []
    for row in rows:
        row.sort(key=lambda one: one.upright[0])
        if paragraphs and _follows(paragraphs[-1][-1], row):
            paragraphs[-1].append(row)
        else:
            paragraphs.append([row])
    return [
        Line("\n".join(" ".join(piece.text for piece in row) for row in paragraph), _union(paragraph))
        for paragraph in paragraphs
    ]


def _on_one_line(one: Box, other: Box) -> bool:
    shared = min(one[3], other[3]) - max(one[1], other[1])
    return shared > min(one[3] - one[1], other[3] - other[1]) / 2


def _follows(before: Sequence[_Piece], row: Sequence[_Piece]) -> bool:
    """Return whether the gap between two rows is at most a line high."""
    bottom = max(piece.upright[3] for piece in before)
    top = min(piece.upright[1] for piece in row)
    return top - bottom < max(piece.upright[3] - piece.upright[1] for piece in row)


def _union(paragraph: Sequence[Sequence[_Piece]]) -> Box:
    places = [piece.place for row in paragraph for piece in row]
    lefts, tops, rights, bottoms = zip(*places, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def _scaled(box: Box, scale: float) -> Box:
    return box[0] * scale, box[1] * scale, box[2] * scale, box[3] * scale


def _middle_in(place: Box, box: Box, scale: float) -> bool:
    x, y = (place[0] + place[2]) / 2 * scale, (place[1] + place[3]) / 2 * scale
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]
