// Draw every figure of the report. A figure that cannot be drawn says so and leaves the others alone.
import { lineChart, bodeChart } from "./charts.js";
import { readData } from "./data.js";
import { hoverSvg } from "./hover.js";
import { startLive } from "./live.js";
import { modes } from "./modes.js";
import { startNavigation } from "./navigation.js";
import { saveDrawings } from "./save.js";
import { replay } from "./replay.js";
import { startTheme } from "./theme.js";

const KINDS = { scene: modes, replay, bode: bodeChart, lines: lineChart };

function draw(holder, figure) {
  try {
    KINDS[figure.kind](holder, figure);
    holder.dataset.drawn = "true";
  } catch (error) {
    holder.dataset.drawn = "failed";
    const note = document.createElement("p");
    note.className = "failed";
    const solid = figure.kind === "scene" || figure.kind === "replay";
    note.textContent = solid
      ? "This browser offers no WebGL, so the 3-D view is not drawn. All other figures work."
      : `This figure could not be drawn: ${error.message}`;
    holder.replaceChildren(note);
    if (!solid) console.error(error);
  }
}

function start() {
  startTheme();
  startNavigation();
  const { figures, live } = readData();
  for (const holder of document.querySelectorAll("[data-figure]")) {
    const figure = figures[holder.dataset.figure];
    if (figure) draw(holder, figure);
  }
  hoverSvg();
  saveDrawings();
  startLive(live);
  document.documentElement.dataset.ready = "true";
}

if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
else start();
