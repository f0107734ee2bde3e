"""The languages that Butler speaks: apart from other settings, so that users of languages load nothing else."""

from enum import StrEnum


class OwnerLanguage(StrEnum):
    """Languages that the butler speaks."""

    ENGLISH = "en"
    GERMAN = "de"
    FRENCH = "fr"
    SPANISH = "es"
