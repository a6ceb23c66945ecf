"""Pictures of fitted models, by scikit-learn's Display convention; they need matplotlib."""
