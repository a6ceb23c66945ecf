"""Options of models on the command line: from "lda.shrinkage=0.1" to a model made with it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from distinguo.catalogue import Entry, find, suggest
from distinguo.cli.running import UsageError
from distinguo.exceptions import InputError

# Python spells infinity by a call; people spell it so, in letters of either case.
INFINITE = {"inf", "infinity", "np.inf", "math.inf"}
# What Python can spell and model files can hold; anything else that it can spell is text.
TEXT_PREFIX = "text."
PLAIN = (type(None), bool, int, float, str, list, tuple, dict)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a command line asks for.

    Attributes
    ----------
    entries : the models, with their settings.
    by_name : whether the user named them.
    text_options : of TextCounts.
    """

    entries: tuple[Entry, ...]
    by_name: bool
    text_options: Mapping[str, Any]

    def takers(self, texts: Sequence[str]) -> tuple[Entry, ...]:
        """The models that take part: those that were named, or else those for tables, or for texts if some are read."""
        if self.by_name:
            return self.entries
        return tuple(entry for entry in self.entries if (entry.texts if texts else entry.compared))


@dataclass(frozen=True, slots=True)
class Setting:
    """One option of one model.

    Attributes
    ----------
    text : as it was written.
    model : the name of the model, or "" where it was left out.
    option, value : the option of the model, and its value.
    """

    text: str
    model: str
    option: str
    value: Any

    @classmethod
    def parse(cls, text: str) -> Setting:
        """Read "MODEL.NAME=VALUE" or "NAME=VALUE".

        Examples
        --------
        >>> setting = Setting.parse("gaussian-nb.var_smoothing=1e-3")
        >>> setting.model, setting.option, setting.value
        ('gaussian-nb', 'var_smoothing', 0.001)
        """
        path, equals, value = text.partition("=")
        model, dot, option = path.strip().rpartition(".")
        if not equals or not option or (dot and not model):
            raise UsageError(f"--set {text}: write it as MODEL.NAME=VALUE, such as lda.shrinkage=0.1.")
        try:
            return cls(text, find(model).name if model else "", option, parse_value(value.strip()))
        except InputError as error:
            raise UsageError(f"--set {text}: {error}") from None


def parse_value(text: str) -> Any:
    """A value as Python spells it, or else text.

    Examples
    --------
    >>> [parse_value(text) for text in ("0.1", "None", "oas", "{'a': 2}", "1j", "Infinity")]
    [0.1, None, 'oas', {'a': 2}, '1j', inf]
    """
    if text.lower() in INFINITE:
        return float("inf")
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return text
    return value if isinstance(value, PLAIN) else text


# What the command itself settles of how words are found: by model, by kind of table, and from the training rows.
SETTLED = {"missing", "tfidf"}


def text_options(texts: Sequence[str]) -> tuple[list[str], dict[str, Any]]:
    """The settings of models, and what "text.NAME=VALUE" among them says of how words are found.

    Raises
    ------
    UsageError
        If such a setting names no option of TextCounts, or comes twice.

    Examples
    --------
    >>> text_options(["lda.shrinkage=0.1"])
    (['lda.shrinkage=0.1'], {})
    """
    own = [text for text in texts if text.strip().startswith(TEXT_PREFIX)]
    options: dict[str, Any] = {}
    for text in own:
        name, equals, value = text.strip().removeprefix(TEXT_PREFIX).partition("=")
        if not equals:
            raise UsageError(f"--set {text}: write it as text.NAME=VALUE, such as text.min_df=2.")
        if name.strip() in options:
            raise UsageError(f"--set {text}: {name.strip()} is set twice.")
        options[name.strip()] = parse_value(value.strip())
    if options:
        from distinguo.features.text import TextCounts

        known = [name for name in TextCounts().get_params() if name not in SETTLED]
        for name in options:
            if name not in known:
                raise UsageError(f"--set text.{name}: there is no such option of texts; {suggest(name, known)}")
    return [text for text in texts if text not in own], options


def with_settings(entries: Sequence[Entry], texts: Sequence[str]) -> tuple[Entry, ...]:
    """The models, made with the options that were set; where there is one model its name may be left out.

    Raises
    ------
    UsageError
        If a setting cannot be read, names no model among these or no option of its model, or comes twice.
    """
    options: dict[str, dict[str, Any]] = {entry.name: {} for entry in entries}
    for setting in map(Setting.parse, texts):
        own = options[_model_of(setting, list(options))]
        if setting.option in own:
            raise UsageError(f"--set {setting.text}: {setting.option} is set twice.")
        own[setting.option] = setting.value
    for entry in entries:
        _check_names(entry, options[entry.name])
    return tuple(replace(entry, options={**entry.options, **options[entry.name]}) for entry in entries)


def settings_of(entries: Sequence[Entry]) -> list[str]:
    """What was set beyond the catalogue, as it could be written.

    Examples
    --------
    >>> settings_of([replace(find("lda"), options={"shrinkage": 0.1}), find("rda")])
    ['lda.shrinkage=0.1']
    """
    return [
        f"{entry.name}.{option}={value}"
        for entry in entries
        for option, value in entry.options.items()
        if option not in find(entry.name).options or find(entry.name).options[option] != value
    ]


def options_of(model: Any) -> Iterator[str]:
    """The options with which a model was made, but those that are as its class has them."""
    defaults = type(model)().get_params(deep=False)
    for option, value in model.get_params(deep=False).items():
        if repr(value) != repr(defaults[option]):
            yield f"{option}={value}"


def _model_of(setting: Setting, names: list[str]) -> str:
    """Which of the models is meant."""
    if not setting.model and len(names) > 1:
        raise UsageError(f"--set {setting.text}: say of which model, such as {names[0]}.{setting.text}.")
    model = setting.model or names[0]
    if model not in names:
        raise UsageError(f"--set {setting.text}: {model} takes no part here, only {', '.join(names)}.")
    return model


def _check_names(entry: Entry, options: dict[str, Any]) -> None:
    """Raise where an option is none of the model's; nothing is imported where nothing is set."""
    if not options:
        return
    known = list(entry.make().get_params(deep=False))
    for option in options:
        if option not in known:
            raise UsageError(f"{entry.name} has no option {option!r}; {suggest(option, known)}")
