"""Tables that are played: live tables, who listens, bots, shared meters, the floor."""
