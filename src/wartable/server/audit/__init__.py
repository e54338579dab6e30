"""Reading the records: verify, recall, reports, exports, back-ups, the self-check."""
