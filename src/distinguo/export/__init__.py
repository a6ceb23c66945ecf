"""Fitted models in other languages: a query for a database, a graph for ONNX."""
