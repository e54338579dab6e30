"""One module for each version of the database, each the way from the one before."""
