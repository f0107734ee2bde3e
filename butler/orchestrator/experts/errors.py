"""The faults of experts as they are written; each fault has its own error, and none is ignored."""

from butler.contract.errors import ConfigError


class ExpertError(ConfigError):
    """An expert cannot be built."""


class ExpertFileError(ExpertError):
    """A file of an expert cannot be read."""


class ExpertManifestError(ExpertError):
    """The manifest of an expert is invalid."""


class PromptMissingError(ExpertError):
    """An expert may use a tool that has no prompt."""


class NotInstalledError(ExpertError):
    """A tool has a prompt, but the butler does not install it."""


class NoSuchToolError(ExpertError):
    """An expert names a tool that does not exist."""


class AllowedAndBlockedError(ExpertError):
    """An expert both allows and blocks a tool."""


class WildcardError(ExpertError):
    """An expert allows tools by a wildcard; each has to be named, for each brings its own prompt."""


class TwoExpertsError(ExpertError):
    """Two experts have the same name."""


class PlaceholderError(ExpertError):
    """A text of an expert has an unknown placeholder."""
