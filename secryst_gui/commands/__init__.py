"""One module for each sub-command; each adds its own parser and runs without Qt."""
