"""The records of a house: rows, chains, the database and its writer."""
