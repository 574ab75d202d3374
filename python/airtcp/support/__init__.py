"""What all parts use and what knows nothing of TCP: files, formats, progress, imports."""
