"""Laws of measured runs: from tables that any tool wrote to files of fitted models that a study uses.

``tables`` takes measurements in, ``fitting`` finds laws and says how sure they are, ``documents`` is the file of a
fitted model, and ``kinds`` has one sub-room for each kind of model: growth, energy, scaling factors, and expectations
that are held against laws. ``cli`` are their commands. Studies, `dse models` and `dse validate` know the sub-rooms by
the names in ``families.toml``; the house is no model itself.
"""
