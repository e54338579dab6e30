"""Live tables, their listeners, bots, shared meters and the floor."""
