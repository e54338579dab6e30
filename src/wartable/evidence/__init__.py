"""What a laboratory asks for, in one folder: proofs, drills, sheets, statistics, digests."""
