"""The table of real machines: its rows, columns, devices, networks, parts and figures."""
