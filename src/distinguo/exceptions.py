"""The errors and warnings of distinguo; each message says what was wrong, what came, and what to do."""

from __future__ import annotations


class DistinguoError(Exception):
    """Base of every error raised on purpose by this library."""


class InputError(DistinguoError, ValueError):
    """Rows, labels, weights, priors or options that cannot be used."""


class InputTypeError(DistinguoError, TypeError):
    """An argument of a type that is not understood."""


class MissingCellsError(InputError):
    """Rows with holes where there must be none.

    Parameters
    ----------
    where : the first hole, as "row 3, column 'ash'".
    why : what takes no holes, and what to do.
    """

    def __init__(self, where: str, why: str) -> None:
        super().__init__(where, why)
        self.where = where
        self.why = why

    def __str__(self) -> str:
        return f"X contains NaN ({self.where}), and {self.why}"


class MissingLabelsError(InputError):
    """Rows without a label where each must have one."""


class TooLargeError(InputError):
    """Rows that a model has to hold in memory, all at once, and for which there is not enough.

    Parameters
    ----------
    room : how large they are, and what is free.
    """

    def __init__(self, room: str) -> None:
        super().__init__(room)
        self.room = room

    def __str__(self) -> str:
        return (
            f"this model needs all rows in memory at once: {self.room}. Give a part of the rows, as scan(where=...) "
            "does, or use a model whose statistics add up, such as LinearDiscriminantAnalysis, "
            "QuadraticDiscriminantAnalysis, GaussianNB or LogisticRegression."
        )


class SingularCovarianceError(InputError):
    """A class whose covariance cannot be inverted."""


class ModelFileError(InputError):
    """A file that is not a model this version can load safely."""


class DistinguoWarning(UserWarning):
    """Base of every warning issued by this library."""


class LeftOutWarning(DistinguoWarning):
    """Columns or directions that carry no information and take no part in the fit."""


class ImpossibleRowWarning(DistinguoWarning):
    """Rows to which every class gives probability zero; they get the priors."""


class SeparationWarning(DistinguoWarning):
    """Classes that a linear rule tells apart, so that maximum likelihood has no finite answer."""


class MaskingWarning(DistinguoWarning):
    """Classes that lie between others and that a regression on indicators passes over."""


class ZeroProbabilityWarning(DistinguoWarning):
    """Cells to which some classes give probability zero and others do not, so that they alone decide a row."""


class FewRowsWarning(DistinguoWarning):
    """Fewer rows than an error rate asks for, so that nothing can be ruled out at it."""


class InMemoryWarning(DistinguoWarning):
    """Rows of files or of a cluster that a model has to hold in memory, all at once."""
