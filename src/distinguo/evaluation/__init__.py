"""How good a model is, honestly measured."""
