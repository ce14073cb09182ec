"""What the pictures of networks are put together from; each topology draws itself in its own ``picture.py``.

Small networks are drawn whole, from their own parameters, large ones schematically. A whole drawing has one line per
cable and one box per switch; nodes are dots where there is room for all, else one switch says how many it has.
"""
