"""The commands on measured runs, `dse fit`, `energy`, `scaling` and `expect`, and the tables they print."""
