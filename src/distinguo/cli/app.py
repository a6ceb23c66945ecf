"""The command `distinguo`: its verbs."""

from __future__ import annotations

import io
import os
import signal
import sys
from typing import Annotated

import typer

from distinguo.cli.judge_verbs import calibrate, evaluate
from distinguo.cli.learn_verbs import compare, fit, forget, update
from distinguo.cli.report_verb import report
from distinguo.cli.running import EXIT_CODES, USAGE, run
from distinguo.cli.use_verbs import describe, explain, predict

app = typer.Typer(
    name="distinguo",
    help="Compare, fit and use models that people can read: label, probability, and a warning at the unfamiliar.",
    epilog=EXIT_CODES,
    rich_markup_mode=None,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from distinguo import __version__

        sys.stdout.write(f"distinguo {__version__}\n")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def start(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Print the help where no verb is given."""
    if context.invoked_subcommand is None:
        sys.stdout.write(f"{context.get_help()}\n")
        raise typer.Exit(USAGE)


for verb in (compare, report, fit, update, forget, predict, explain, describe, evaluate, calibrate):
    app.command(epilog=EXIT_CODES)(verb)


# Models here multiply small matrices many times over, and threads of BLAS wait for each other longer than that takes.
BLAS_THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


def _end(number: int, _: object) -> None:
    """End as at any error, so that files that were not finished are taken away."""
    raise SystemExit(128 + number)


# By name, for not all systems have both.
ENDINGS = ("SIGTERM", "SIGHUP")


def main() -> None:
    """Run the command line of this process."""
    for number in (getattr(signal, name) for name in ENDINGS if name in dir(signal)):
        if signal.getsignal(number) == signal.SIG_DFL:  # nohup ignores the second
            signal.signal(number, _end)
    for variable in BLAS_THREADS:
        os.environ.setdefault(variable, "1")  # read when NumPy is first imported, which is not yet
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that has no "±" must not end the program
    sys.exit(run(app, sys.argv[1:]))
