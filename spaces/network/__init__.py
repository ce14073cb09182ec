"""Networks: every shape of each topology for so many nodes and ports, and catalogues of switches, cables and NICs."""
