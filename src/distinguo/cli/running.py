"""How a command line ends: its exit codes, and errors and warnings as lines on standard error."""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import typer

from distinguo.exceptions import DistinguoError, DistinguoWarning, LeftOutWarning, SeparationWarning

OK, FAILED, USAGE, MISSED, INTERRUPTED = 0, 1, 2, 3, 130
EXIT_CODES = (
    "Exit codes: 0 done; 1 the data, a file or a model cannot be used; 2 the command itself is wrong; 3 a metric falls "
    "short (--fail-under); 130 interrupted."
)

# Typer's, or click's where Typer is built on it.
UsageError: Any = typer.BadParameter.__base__


def run(app: typer.Typer, arguments: Sequence[str]) -> int:
    """Run one command line; its exit code."""
    debug = "--debug" in arguments
    try:
        with _warnings_as_notes("--quiet" in arguments or "-q" in arguments):
            command = typer.main.get_command(app)
            with command.make_context("distinguo", list(arguments)) as context:
                command.invoke(context)
            sys.stdout.flush()
    except typer.Exit as done:
        return done.exit_code
    except UsageError as error:
        return _fail(USAGE, f"{error.format_message()}", error, debug, _help_hint(error))
    except BrokenPipeError:
        # The reader, such as head, has seen enough; nothing is to be flushed into the closed pipe at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except (KeyboardInterrupt, typer.Abort):
        sys.stderr.write("interrupted; nothing was changed\n")
        return INTERRUPTED
    except Exception as error:
        return _fail(FAILED, _what_failed(error), error, debug)
    return OK


def _what_failed(error: Exception) -> str:
    """What an error says; of those that nobody foresaw also what it is."""
    if isinstance(error, DistinguoError | OSError):
        return str(error)
    if isinstance(error, MemoryError):
        return f"not enough memory. {error}"
    return f"unexpected {type(error).__name__}: {error} (--debug shows where)"


def _fail(code: int, text: str, error: BaseException, debug: bool, hint: str = "") -> int:
    """One line on standard error, or two; with --debug also the way there."""
    if debug:
        traceback.print_exception(error)
    from distinguo.cli import terminal

    terminal.print_to_stderr(f"error: {' '.join(text.split())}")
    sys.stderr.write(hint)
    return code


def _help_hint(error: Any) -> str:
    """Where to read how the command is used, and why a pattern may have become many words."""
    verb = error.ctx.command_path if error.ctx is not None else "distinguo"
    quotes = "a pattern of files goes in quotes; " if "unexpected extra argument" in error.format_message() else ""
    return f"{quotes}'{verb} --help' says how it is used\n"


def leave_infinities_to_the_table() -> None:
    """Until the command ends, say nothing of separation: the table of coefficients does."""
    warnings.simplefilter("ignore", SeparationWarning)


def repeat_nothing_of_fit() -> None:
    """Until the command ends, say no more what `fit` said of the columns it left out."""
    warnings.simplefilter("ignore", LeftOutWarning)


@contextmanager
def _warnings_as_notes(quiet: bool) -> Iterator[None]:
    """What libraries warn of becomes notes, each once; what they warn programmers of does not."""
    from distinguo.cli import terminal

    seen: set[str] = set()

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        text = " ".join(str(message).split())
        if text not in seen:
            seen.add(text)
            terminal.notes([text], quiet)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", RuntimeWarning)
        warnings.simplefilter("always", DistinguoWarning)
        warnings.showwarning = show
        yield
