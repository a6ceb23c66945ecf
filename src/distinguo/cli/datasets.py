"""The sets that come with scikit-learn, with where each is from and what to beware of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True)
class Embedded:
    """One set.

    Attributes
    ----------
    name : what the command line calls it.
    loader : the function of sklearn.datasets.
    target : the column of classes.
    origin : who measured what, when, and where it was published.
    caution : what to beware of.
    """

    name: str
    loader: str
    target: str
    origin: str
    caution: str

    def load(self) -> pl.DataFrame:
        """The rows, the target last."""
        import polars as pl
        from sklearn import datasets

        bunch: Any = getattr(datasets, self.loader)()
        features = pl.DataFrame(bunch.data, schema=[str(name) for name in bunch.feature_names], orient="row")
        labels = pl.Series(self.target, [str(bunch.target_names[code]) for code in bunch.target])
        return features.with_columns(labels)


EMBEDDED = {
    entry.name: entry
    for entry in (
        Embedded(
            "iris",
            "load_iris",
            "species",
            "Sepals and petals of 150 irises of three species, measured in centimetres by Edgar Anderson. "
            'R. A. Fisher, "The use of multiple measurements in taxonomic problems", Annals of Eugenics 7 (1936), '
            "179-188, where discriminant analysis begins. scikit-learn's copy agrees with R's; the one at UCI has "
            "two wrong rows.",
            "Fisher himself warns that Iris virginica differs from the two other samples in not being taken from "
            "the same natural colony, which might considerably disturb both the mean values and the variabilities.",
        ),
        Embedded(
            "wine",
            "load_wine",
            "cultivar",
            "Chemical analyses of 178 wines grown in one region of Italy from three cultivars. M. Forina et al., "
            "PARVUS, Institute of Pharmaceutical and Food Analysis and Technologies, Genoa; compared by S. Aeberhard, "
            "D. Coomans and O. de Vel, James Cook University, technical report 92-02 (1992).",
            "The classes separate almost perfectly, so it tells good models from better ones poorly.",
        ),
        Embedded(
            "breast_cancer",
            "load_breast_cancer",
            "diagnosis",
            "Cell nuclei in images of fine needle aspirates of 569 breast masses: mean, standard error and worst value "
            "of ten measurements each. W. H. Wolberg, W. N. Street and O. L. Mangasarian, University of Wisconsin "
            "(1995).",
            "Radius, perimeter and area nearly repeat each other; 37 % malignant is not the share in any population.",
        ),
        Embedded(
            "digits",
            "load_digits",
            "digit",
            "1797 handwritten digits of 13 people, as counts from 0 to 16 of inked pixels in each of 8 x 8 blocks. E. "
            "Alpaydin and C. Kaynak, Cascading classifiers, Kybernetika 34 (1998); the test part of the set at UCI.",
            "One writer's digits stand in training and test rows alike, so new writers will be read less well.",
        ),
    )
}
