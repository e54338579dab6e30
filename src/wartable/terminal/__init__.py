"""The table in the terminal, as text or drawn; a sitting is saved before it is shown."""
