"""What a house writes down and how it is kept: rows, chains, the database, its writer."""
