"""What is kept of a result: history, blobs, truncation, documents."""
