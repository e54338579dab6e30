"""`wartable rules`: list, show, compare and check rule books."""
