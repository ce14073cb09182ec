"""How sure a frontier is: draws of what is not known, and the decisions they leave open."""
