"""The demo: a launch vehicle of our own, from its NASTRAN deck to a report."""
