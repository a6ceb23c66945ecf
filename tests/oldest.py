"""Print a constraint for each dependency: the lowest version that pyproject.toml allows."""

import re
import tomllib
from pathlib import Path


def oldest(requirement: str) -> str | None:
    """The requirement at its lower bound; None where it has none.

    >>> oldest("polars>=2,<3")
    'polars==2'
    >>> oldest("dask[array]>=2025.1")
    'dask==2025.1'
    """
    found = re.match(r"([\w.-]+)(?:\[.*\])?>=([\w.]+)", requirement)
    return f"{found[1]}=={found[2]}" if found else None


if __name__ == "__main__":
    project = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    requirements = [*project["dependencies"], *project["optional-dependencies"]["test"]]
    print("\n".join(filter(None, map(oldest, requirements))))
