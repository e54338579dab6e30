"""Reading the records: verify, recall, reports, exports, backups, the self-check."""
