"""The people and money of a house: accounts, roles, limits, office, cashier."""
