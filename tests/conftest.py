"""What every test may use."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.spark_session import spark  # noqa: F401 (a fixture)

ROOT = Path(__file__).resolve().parent.parent
SHARED_DATA = ROOT.parent / "shared" / "data"

# "fixed" draws the same examples everywhere and always; "explore" looks for new ones (--hypothesis-profile=explore).
# No deadline: the first call of a compiled kernel takes its time, and no test asserts a time.
settings.register_profile(
    "fixed", derandomize=True, database=None, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "explore", max_examples=1000, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("fixed")


@pytest.fixture(scope="session")
def shared_data() -> Callable[[str], Path]:
    """Where a data file of that name lies; the test is skipped where it does not."""

    def path(name: str) -> Path:
        file = SHARED_DATA / name
        if not file.exists():
            pytest.skip(f"needs {name} in ../shared/data")
        return file

    return path
