"""From a checked study to a problem: axes, alternatives, tables, systems and what must not be said."""
