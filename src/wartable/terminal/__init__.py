"""The table in the terminal: a sitting that is saved before it is shown, as text or drawn."""
