"""`python -m dse` is `dse`."""

from dse.cli import main

if __name__ == "__main__":
    main()
