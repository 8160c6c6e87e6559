"""Many runs of one thing: Monte Carlo studies that lose nothing.

The table of all dispersed numbers is drawn first and stored; a run is one row of it and leaves one file. So a study
that was killed goes on where it was, any run can be repeated alone, and the answer does not depend on how many
processes there were, or which of them did what.
"""

from interstage.studies.design import Design, Row
from interstage.studies.drive import monte_carlo
from interstage.studies.statistics import Level
from interstage.studies.study import Study

__all__ = ["Design", "Level", "Row", "Study", "monte_carlo"]
