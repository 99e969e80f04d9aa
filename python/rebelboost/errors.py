"""What can go wrong. Every exception is a ``RebelError`` and a ``ValueError``, and says in one sentence what was found
and what to do."""

__all__ = [
    "CostsError",
    "DataError",
    "FileError",
    "InternalError",
    "LimitError",
    "ModelError",
    "OptionError",
    "ParseError",
    "RebelError",
    "RebelWarning",
]


class RebelError(ValueError):
    """Base of all exceptions of this package."""


class FileError(RebelError, OSError):
    """A file could not be opened, read or written."""


class ParseError(RebelError):
    """The text or bytes of a data file are malformed."""


class DataError(RebelError):
    """The data cannot be trained on or predicted."""


class CostsError(RebelError):
    """A cost matrix or taxonomy is not usable."""


class OptionError(RebelError):
    """A parameter has an unknown name or an impossible value."""


class ModelError(RebelError):
    """A model file is damaged, foreign or too new, or a model cannot do what was asked."""


class LimitError(RebelError):
    """A limit (memory, size) would be exceeded."""


class InternalError(RebelError, RuntimeError):
    """A fault of ours: never the user's."""


class RebelWarning(UserWarning):
    """Something worth knowing, such as categories never seen in training."""
