"""Published figures of the SKA1-Low station and correlator, and how each is computed again."""
