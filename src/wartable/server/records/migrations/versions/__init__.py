"""One module for each version of the database, which upgrades from the one before."""
