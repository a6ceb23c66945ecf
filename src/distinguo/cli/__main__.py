"""`python -m distinguo.cli`, the command without its script."""

from distinguo.cli.app import main

if __name__ == "__main__":
    main()
