"""Why a part of a space is not on the frontier, at which value it would be, and what decides."""
