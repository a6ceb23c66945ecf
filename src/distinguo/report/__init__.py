"""One page about a table and the models of it: numbers that are computed once, shown as HTML and as JSON."""
