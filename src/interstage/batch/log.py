"""What a batch leaves behind: outputs of all samples, how each ended, and any one of them again by itself."""

from __future__ import annotations

import numpy as np

from interstage.batch.kernels import NOT_FINITE, Found
from interstage.batch.plan import BatchPlan
from interstage.calls import named_arguments
from interstage.errors import InputError, did_you_mean, shown
from interstage.multibody import State, System
from interstage.multibody.dispersed_parameters import FACTORS, OF_TREE, with_shapes
from interstage.simulation import Log, simulate
from interstage.studies import Design, Study
from interstage.studies.outputs import TIMES


@named_arguments
class BatchLog:
    """The samples of a batch; `log["peak q.arm.angle"]` is one number each, (samples,), `log["q.arm.angle"]` a
    history, (samples, rows), NaN behind the end of a sample that stopped or failed.

    t (rows,) : times of the rows;  end (samples,) : time at which each ended;  design : the table of numbers
    device : "cpu";  info : how it was flown
    """

    def __init__(self, plan: BatchPlan, found: Found, device: str, seconds: float):
        self._plan, self._found, self.device = plan, found, device
        self.t, self.end = plan.pace.times, plan.pace.start + found.end
        self.info = {
            "method": plan.method.name,
            "step": plan.pace.step,
            "samples": plan.samples,
            "device": device,
            "seconds": seconds,
        }

    @property
    def design(self) -> Design:
        """The table: which number each sample has for each dispersed quantity."""
        return self._plan.design

    @property
    def names(self) -> list[str]:
        """Names of the outputs."""
        return [one.name for one in self._plan.outputs]

    def __len__(self) -> int:
        return self._plan.samples

    def __getitem__(self, name: str) -> np.ndarray:
        for rows, outputs in (
            (self._found.reduced, self._plan.reduced),
            (self._found.history, self._plan.histories),
        ):
            for row, one in zip(rows, outputs):
                if one.name == name:
                    return row.T
        if name in self.design.names:
            return self.design.column(name)
        raise InputError(f"no output '{name}'", hint=did_you_mean(name, [*self.names, *self.design.names]))

    @property
    def failed(self) -> np.ndarray:
        """Mask (samples,) of those that failed; the others went on."""
        return self._found.status != 0

    @property
    def errors(self) -> dict[int, str]:
        """What ended the samples that failed, by number; `sample` says it at length."""
        return {int(k): self._words(int(k)) for k in np.flatnonzero(self.failed)}

    @property
    def stopped(self) -> dict[int, str]:
        """Which condition ended the samples that stopped, by number."""
        stops = self._plan.stops
        return {int(k): stops[self._found.stop[k]].text for k in np.flatnonzero(self._found.stop >= 0)}

    def _words(self, k: int) -> str:
        status, bodies = int(self._found.status[k]), self._plan.system.bodies
        why = "its closures or its geometric stiffness find no answer"
        if status == NOT_FINITE:
            why = "its accelerations are not finite"
        elif status > 0:
            why = f"the inertia at body '{bodies[status - 1]}' is not finite or not positive"
        return f"{why}, t = {self.end[k]:.6g}"

    # one of them --------------------------------------------------------------------------------------

    def numbers(self, k: int) -> dict[str, np.ndarray]:
        """Return the arrays of sample k by name: the state at the start, loads, the law, constants of the vehicle."""
        row, plan = self.design.row(k), self._plan
        own, patches = plan.own.base.copy(), plan.patches
        values = np.array(list(row.values()))
        for at, column, power in zip(patches.at, patches.column, patches.power):
            own[at] = own[at] * values[column] ** power if power else values[column]
        return plan.own.views(own)

    def system(self, k: int) -> System:
        """Return the vehicle of sample k: a view of the one given, with the numbers of that sample."""
        numbers, system = self.numbers(k), self._plan.system
        settings = system.settings.copy()
        if "body_inertia" in numbers:
            settings.body_inertia = numbers["body_inertia"]
        view = system.with_constants({n: a for n, a in numbers.items() if n in OF_TREE}, settings)
        return with_shapes(
            view, {n: f for n, f in self.design.row(k).items() if n.partition(".")[0] in FACTORS}
        )

    def state(self, k: int) -> State:
        """Return the state in which sample k starts."""
        plan, y = self._plan, self.numbers(k)["y"]
        x = plan.system.state(y[: plan.system.nq], y[plan.system.nq :])
        plan.system.layout.normalize(x.q)
        return x

    def sample(self, k: int) -> Log:
        """Fly sample k again by `simulate`, and return its log: every state, energies, loads.

        Its vehicle has the numbers of the sample; their description (`log.system.model`) is that of the vehicle given.
        """
        plan, numbers = self._plan, self.numbers(k)
        system, x, pace = self.system(k), self.state(k), plan.pace
        loads = plan.course.loads_of(plan.loads, system, numbers["calm"], numbers["scale"])
        law, every = None, None
        if plan.law is not None:
            law = plan.law.with_arrays(numbers).running(system, loads)
            every = pace.hold * pace.step
        return simulate(
            system,
            x,
            until=pace.start + pace.steps * pace.step,
            step=pace.step,
            start=pace.start,
            method=plan.method,
            forces=loads,
            control=law,
            control_step=every,
            events=[stop.event(system.nq) for stop in plan.stops],
            log_step=pace.every * pace.step,
        )

    # all of them --------------------------------------------------------------------------------------

    @property
    def study(self) -> Study:
        """The batch as a study: statistics, levels with bounds, worst samples, sensitivity, pictures, a report."""
        outputs = {name: self[name] for name in self.names}
        for one in self._plan.histories:
            outputs[TIMES + one.name] = np.broadcast_to(self.t, (len(self), len(self.t)))
        return Study(self.design, outputs, self.errors, np.full(len(self), np.nan))

    def __repr__(self) -> str:
        failed = f", {int(self.failed.sum())} failed" if self.failed.any() else ""
        stopped = f", {len(self.stopped)} stopped" if len(self._plan.stops) else ""
        return f"<BatchLog: {len(self)} samples{failed}{stopped}, {len(self.names)} outputs, {self.device}>"

    def __str__(self) -> str:
        lines = [repr(self).strip("<>"), str(self.study)]
        return "\n".join(lines)


def number_of_samples(samples: object) -> int:
    """Return a count of samples, or say that it is none."""
    if isinstance(samples, bool) or not isinstance(samples, int | np.integer) or samples < 1:
        raise InputError("samples is no number of samples", expected="1 or more", got=shown(samples))
    if samples > 10**9:
        raise InputError("there are too many samples", expected="at most 1e9", got=shown(samples))
    return int(samples)
