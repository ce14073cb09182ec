"""What topologies stand on: links, parameters, components, floors, grids and the routing of flows."""
