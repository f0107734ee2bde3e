"""The previews of calls that write to the Qdrant server."""

from butler.contract.speech import say, say_many
from butler.contract.tools import Preview
from butler.contract.value_words import named_lines
from modules.qdrant.args import CreateArgs, Point, UpsertArgs


def preview_upsert(args: UpsertArgs, server: str) -> Preview:
    """Return the preview of points: each text with its payload, a vector by its length and beginning."""
    effect = say_many(
        len(args.points),
        "Puts 1 point into a collection on your Qdrant server; what has its id there is overwritten",
        "Puts {count} points into a collection on your Qdrant server; what has their ids there is overwritten",
    )
    return Preview(
        effect=effect,
        body="\n".join(_line(point) for point in args.points),
        facts=((say("Server"), server), (say("Collection"), args.collection)),
        told=("collection", "points"),
    )


def preview_create(args: CreateArgs, server: str) -> Preview:
    """Return the preview of a new collection."""
    return Preview(
        effect=say("Makes a collection on your Qdrant server, unless it is there already"),
        facts=(
            (say("Server"), server),
            (say("Collection"), args.collection),
            (say("Dimensions"), str(args.size)),
            (say("Compared by"), args.distance.value),
        ),
        told=("collection", "size", "distance"),
    )


def _line(point: Point) -> str:
    parts = [point.text or _vector(point)]
    if point.id is not None:
        parts.append(say("id {id}", id=point.id))
    return "\n".join([f"- {' · '.join(parts)}", *(f"    {line}" for line in named_lines(point.payload))])


def _vector(point: Point) -> str:
    begins = ", ".join(f"{number:g}" for number in point.vector[:4])
    more = ", …" if len(point.vector) > 4 else ""  # noqa: PLR2004 - as many as were shown
    return say_many(
        len(point.vector),
        "a vector of 1 number: {begins}",
        "a vector of {count} numbers: {begins}",
        begins=f"{begins}{more}",
    )
