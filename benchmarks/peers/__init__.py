"""One adapter a peer: its NAME with the version, and what it calls the models that the problems ask for."""
