"""What pages show is what happens: their Python runs, and their command lines print what stands below them."""

import re
import shlex
import shutil
from collections.abc import Callable, Iterator
from itertools import takewhile
from pathlib import Path

import pytest
import typer

from distinguo.cli.app import app
from distinguo.cli.running import run

ROOT = Path(__file__).resolve().parents[1]
# Rows for commands of README.md about tables that readers have themselves.
FLOWERS = """sepal length (cm),sepal width (cm),petal length (cm),petal width (cm)
5.1,3.5,1.4,0.2
6.3,2.8,5.1,1.5
9.0,1.0,6.9,0.1
"""
TIME_OR_SIZE = re.compile(r"\d[\d.]* (ns|µs|ms|s|B|kB|MB)\b")
NUMBER = re.compile(r"(?<![\w.])[-+]?\d[\d.]*(e[-+]?\d+)?")

Runner = Callable[[list[str]], tuple[int, str]]


def blocks(page: str) -> Iterator[tuple[str, str]]:
    """The language and the text of each fenced block of a page."""
    for match in re.finditer(r"^```(\w+)\n(.*?)^```$", (ROOT / page).read_text(encoding="utf-8"), re.M | re.S):
        yield match[1], match[2]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Runner:
    """Run a command line; its exit code, and its output with what went to standard error below it."""

    def runner(arguments: list[str]) -> tuple[int, str]:
        code = run(app, arguments)
        done = capsys.readouterr()
        return code, done.out + done.err

    return runner


def follow(page: str, call: Runner, chosen: Callable[[str], bool] = lambda text: True) -> int:
    """Run a page's chosen blocks in their order, and hold what is printed against the page; how many commands."""
    commands, code = 0, 0
    for language, text in blocks(page):
        if language == "python" and chosen(text):
            exec(compile(text, page, "exec"), {})
        if language != "console" or not chosen(text):
            continue
        lines = text.splitlines()
        for at, line in enumerate(lines):
            if line == "$ echo $?":
                assert lines[at + 1] == str(code), (page, lines[at - 1])
            elif line.startswith("$ "):
                code, printed = call(shlex.split(line[2:], comments=True)[1:])
                shown = list(takewhile(lambda other: not other.startswith("$ "), lines[at + 1 :]))
                as_shown(shown, printed.splitlines(), line)
                commands += 1
    return commands


def as_shown(shown: list[str], printed: list[str], command: str) -> None:
    """Each line shown is the next one printed, or a later one where dots stand before it."""
    rest = iter([line for line in printed if line.strip()])
    skipping = False
    for line in shown:
        if not line.strip():
            continue
        if line == "...":
            skipping = True
            continue
        candidates = rest if skipping else [next(rest, "")]
        assert any(alike(line, other) for other in candidates), f"{command}\nshown: {line}\nprinted: {printed}"
        skipping = False
    assert not shown or skipping or next(rest, None) is None, f"{command}: more is printed: {printed}"


def alike(shown: str, printed: str) -> bool:
    """Whether a line is the one shown, but for times, sizes and last digits; dots stand for anything."""
    shown, printed = (TIME_OR_SIZE.sub("#", line) for line in (shown, printed))
    words = NUMBER.sub("#", " ".join(shown.split()))
    pattern = ".*".join(map(re.escape, words.split("..."))).replace("\\ ", " ")
    if not re.fullmatch(pattern, NUMBER.sub("#", " ".join(printed.split()))):
        return False
    if "..." in shown:
        return True
    numbers = [[float(number[0].rstrip(".")) for number in NUMBER.finditer(line)] for line in (shown, printed)]
    return numbers[0] == pytest.approx(numbers[1], rel=0.02, abs=1e-12)


@pytest.fixture
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("_own_folder")
@pytest.mark.parametrize("page", ["docs/choosing.md", "docs/command_line.md"])
def test_issue_06_what_a_page_shows_is_what_happens(page: str, call: Runner) -> None:
    assert follow(page, call) >= 4


@pytest.mark.usefixtures("_own_folder")
def test_readme_shows_what_happens(call: Runner) -> None:
    Path("flowers.csv").write_text(FLOWERS)
    tables = next(text for language, text in blocks("docs/command_line.md") if language == "python")
    exec(tables, {})
    assert follow("README.md", call, lambda text: not re.search("birthwt|sms", text)) >= 8


@pytest.mark.usefixtures("_own_folder")
@pytest.mark.parametrize(("name", "file"), [("birthwt", "birthwt.csv"), ("sms", "sms_spam.csv")])
def test_readme_shows_what_happens_to_tables_of_others(
    name: str, file: str, call: Runner, shared_data: Callable[[str], Path]
) -> None:
    shutil.copy(shared_data(file), f"{name}.csv")
    assert follow("README.md", call, lambda text: name in text) >= 1


def test_dots_times_and_last_digits_are_all_that_may_differ() -> None:
    assert alike("lda  0.98 ± 0.01  1.14 ms", "lda 0.98 ± 0.01    22 µs")
    assert alike("a,...,b", "a,c,d,b")
    assert not alike("a,...,b", "a,c,d")
    assert alike("p 0.12345", "p 0.12346")
    assert not alike("p 0.12", "p 0.13")
    assert not alike("wrote a.dgo", "wrote b.dgo")
    with pytest.raises(AssertionError, match="more is printed"):
        as_shown(["one"], ["one", "two"], "$ command")
    with pytest.raises(AssertionError, match="shown: two"):
        as_shown(["two"], ["one", "two"], "$ command")
    as_shown(["...", "two"], ["one", "two"], "$ command")


def test_every_verb_and_option_is_on_the_page_of_the_command_line() -> None:
    page = (ROOT / "docs/command_line.md").read_text(encoding="utf-8")
    sections = {section.splitlines()[0]: section for section in page.split("\n## ")}
    for verb, command in typer.main.get_command(app).commands.items():  # type: ignore[attr-defined]
        of_verb = [text for title, text in sections.items() if f"`{verb}`" in title]
        assert len(of_verb) == 1, verb
        missing = [
            option
            for parameter in command.params
            for option in parameter.opts
            if option.startswith("-") and f"`{option}" not in of_verb[0] + sections["Tables"]
        ]
        assert not missing, (verb, missing)


def test_every_page_is_linked_from_the_readme_and_no_link_is_broken() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    pages = sorted((ROOT / "docs").glob("*.md"))
    assert [page.name for page in pages if f"(docs/{page.name})" not in readme] == []
    for page in [ROOT / "README.md", *pages]:
        text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
            assert (page.parent / target).exists(), (page.name, target)
