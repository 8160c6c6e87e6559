"""Plants: devices and what they declare, assemblies and their connections, and the plan by which they run."""
