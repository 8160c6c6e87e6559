// A run that goes on: rows that have come since are asked of the program that gave this page, every so often.

const takers = new Map();
const EVERY = 500; // ms

export function onRows(id, taker) {
  takers.set(id, taker);
}

async function ask(live) {
  const answer = await fetch(`${live.url}?rows=${live.rows}&version=${live.version}`, { cache: "no-store" });
  if (!answer.ok) throw new Error(answer.statusText);
  return answer.json();
}

// Ask until the run is over or nobody answers; the page says which.
export function startLive(live) {
  if (!live) return;
  const root = document.documentElement;
  const lead = document.querySelector(".lead");
  const say = (state, words) => {
    root.dataset.live = state;
    if (lead) lead.textContent = words;
  };
  const turn = async () => {
    let found;
    try {
      found = await ask(live);
    } catch {
      say("gone", "The program that followed this run has ended; what had come until then is here.");
      return;
    }
    if (found.changed) {
      location.reload();
      return;
    }
    live.rows = found.rows;
    for (const [id, rows] of Object.entries(found.figures)) takers.get(id)?.(rows);
    if (found.done) say("done", "The run is over; all of it is here.");
    else say("on", `The run is at ${found.time} s.`);
    if (!found.done) setTimeout(turn, EVERY);
  };
  setTimeout(turn, EVERY);
}
