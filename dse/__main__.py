"""`python -m dse` is `dse`."""

from dse.cli.main import main

if __name__ == "__main__":
    main()
