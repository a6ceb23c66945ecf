"""Sets of classes with a stated coverage, and how strange a row is: ranks among rows that a model had not seen."""
