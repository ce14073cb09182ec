"""What the author of a model imports: declarations, tables, enumerations, pictures and claims."""
