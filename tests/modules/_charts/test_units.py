"""Values are written as people read them."""

import pytest

from modules._charts.units import humanised, scale_of


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.934, "ratio", "93.4 %"),
        (1, "ratio", "100 %"),
        (0, "ratio", "0 %"),
        (83, "percent", "83 %"),
        (0, "bytes", "0 B"),
        (512, "bytes", "512 B"),
        (1.46 * 1024**3, "bytes", "1.46 GiB"),
        (2.5 * 1024**2, "bytes/s", "2.5 MiB/s"),
        (-3 * 1024, "bytes", "-3 KiB"),
        (3e-7, "seconds", "300 ns"),
        (0.24, "seconds", "240 ms"),
        (2.4, "seconds", "2.4 s"),
        (90, "seconds", "1.5 min"),
        (7_200, "seconds", "2 h"),
        (172_800, "seconds", "2 d"),
        (0, "seconds", "0 s"),
        (0, "", "0"),
        (-0.0, "", "0"),
        (5_800, "", "5800"),
        (58_000, "", "58 k"),
        (3.2e6, "1/s", "3.2 M/s"),
        (0.03, "1/s", "0.03 /s"),
        (4.2e14, "", "420 T"),
        (2.5e-7, "", "250×10⁻⁹"),
        (3e-10, "1/s", "300×10⁻¹² /s"),
        (0.0015, "", "0.0015"),
        (85, "°C", "85 °C"),
        (-12.34, "°C", "-12.3 °C"),
    ],
)
def test_a_value_has_about_three_digits_and_its_unit(value: float, unit: str, text: str) -> None:
    assert humanised(value, unit) == text


def test_one_scale_writes_all_values_of_an_axis_alike() -> None:
    scale = scale_of(3 * 1024**3, "bytes")
    assert [scale.text(value, 2) for value in (0, 1.5 * 1024**3, 3 * 1024**3)] == ["0 GiB", "1.5 GiB", "3 GiB"]
