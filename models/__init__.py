"""What a computer does: models of its parts, as functions of quantities."""
