"""The zone that a call was frozen with is one, whoever wrote the call."""

import pytest
from pydantic import BaseModel, ValidationError

from butler.contract.tools import InZone


class Args(BaseModel):
    in_zone: InZone = ""


@pytest.mark.parametrize("name", ["x", "Europe/Nowhere", "../../etc/passwd", "Europe", "/etc/localtime", "a\x00b", " "])
def test_what_is_no_zone_is_refused_in_a_sentence(name: str) -> None:
    with pytest.raises(ValidationError, match="is no time zone"):
        Args(in_zone=name)


@pytest.mark.parametrize("name", ["", "UTC", "Europe/Berlin", "America/New_York"])
def test_a_zone_or_none_is_taken(name: str) -> None:
    assert Args(in_zone=name).in_zone == name
