"""The pages in a real browser, at a real broker."""
