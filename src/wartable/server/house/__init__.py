"""The people and the money of a house: accounts, roles, limits, office, cashier."""
