"""Live tables: the journal in SQL, one task per table, HTTP and WebSocket."""
