"""To other tools: functional mock-up units."""

from interstage.exchange.fmu import FMU, export_fmu

__all__ = ["FMU", "export_fmu"]
