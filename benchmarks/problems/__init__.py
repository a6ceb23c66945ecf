"""One problem a file; each has `measure(scale)`, which yields rows. A new file is a new problem, and that is all."""

from pkgutil import iter_modules


def names() -> list[str]:
    """The problems there are, in order of name."""
    return sorted(module.name for module in iter_modules(__path__))
