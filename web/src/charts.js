// Bode plots and time histories by uPlot: hover reads values, drag zooms, double click shows all again.
import uPlot from "uplot";
import { onTime, setTime } from "./clock.js";
import { appended, unpack } from "./data.js";
import { onRows } from "./live.js";
import { saveButtons } from "./save.js";
import { color, onTheme } from "./theme.js";
import { short } from "./words.js";

const PALETTE = 6;
const FONT = "12px -apple-system, BlinkMacSystemFont, 'Segoe UI', Roboto, Inter, 'Helvetica Neue', Arial, sans-serif";

function axes(xLabel, yLabel, last, log) {
  const common = () => ({ stroke: () => color("muted"), font: FONT, labelFont: FONT });
  const lines = { grid: { stroke: () => color("grid"), width: 1 }, ticks: { stroke: () => color("grid"), width: 1, size: 4 } };
  const x = { ...common(), ...lines, label: last ? xLabel : undefined, labelSize: last ? 20 : 0, size: last ? 30 : 14 };
  if (!last) x.values = (u, splits) => splits.map(() => "");
  else if (log) x.values = (u, splits) => splits.map(short);
  if (log) Object.assign(x, { splits: logTicks, filter: (u, splits) => splits });
  const y = { ...common(), ...lines, label: yLabel, labelSize: 22, labelGap: 2, size: 52, values: (u, splits) => splits.map(short) };
  return [x, y];
}

// Ticks of a log axis, as many as there is room for: 1, 2 and 5 of every decade, or decades alone, or some of them; and
// round steps within one decade, so that a narrow zoom has labels too.
export function logTicks(u, axis, low, high) {
  const room = Math.min(14, Math.max(3, Math.floor((u.width - 80) / 36)));
  if (high / low < 10) {
    const rough = (high - low) / Math.min(6, room - 1);
    const base = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((k) => k * base).find((s) => s >= rough);
    const out = [];
    for (let k = Math.ceil(low / step); k * step <= high * (1 + 1e-12); k++) out.push(Number((k * step).toPrecision(12)));
    return out;
  }
  const fine = decadeTicks(low, high, [1, 2, 5]);
  if (fine.length <= room) return fine;
  const decades = decadeTicks(low, high, [1]);
  const every = Math.ceil(decades.length / room);
  return decades.filter((v, k) => k % every === 0);
}

function decadeTicks(low, high, leads) {
  const out = [];
  for (let n = Math.floor(Math.log10(low)); 10 ** n <= high; n++)
    for (const k of leads) {
      const v = Number((k * 10 ** n).toPrecision(6));
      if (v >= low * (1 - 1e-12) && v <= high * (1 + 1e-12)) out.push(v);
    }
  return out;
}

// A curve that does not move lies in the middle of its axis; of one that does, uPlot's own range.
function yRange(u, low, high) {
  if (low == null || high == null) return [-1, 1];
  if (high - low > 1e-12 * Math.max(Math.abs(low), Math.abs(high))) return uPlot.rangeNum(low, high, 0.1, true);
  const around = 0.1 * Math.abs(low) || 1;
  return [low - around, low + around];
}

// uPlot leaves a gap at null; NaN would take the scale of the whole panel with it.
function withGaps(values) {
  return values.every(Number.isFinite) ? values : Array.from(values, (v) => (Number.isFinite(v) ? v : null));
}

// Add one panel to a figure and keep it as wide as its holder.
function panel(holder, { title, x, series, xLabel, yLabel, last, log, sync, height, unit, splits }) {
  const frame = document.createElement("div");
  frame.className = "panel";
  if (title) {
    const heading = document.createElement("h4");
    heading.textContent = title;
    frame.append(heading);
  }
  holder.append(frame);
  const options = {
    width: Math.max(240, frame.clientWidth),
    height,
    cursor: { sync: { key: sync, setSeries: false }, points: { size: 7 }, focus: { prox: 24 } },
    focus: { alpha: 0.35 },
    legend: { live: true, markers: { dash: (u, i) => (u.series[i].dash ? "dashed" : "solid") } },
    scales: { x: log ? { time: false, distr: 3, range: (u, low, high) => [low, high] } : { time: false }, y: { range: yRange } },
    axes: axes(xLabel, yLabel, last, log),
    series: [
      { label: xLabel, value: (u, v) => short(v) },
      ...series.map((s, i) => ({
        label: s.label,
        stroke: () => color(`series-${(s.color ?? i) % PALETTE}`),
        width: s.dash ? 1.75 : 2,
        dash: s.dash ? [6, 4] : undefined,
        points: { show: false },
        value: (u, v) => (v == null ? "–" : `${short(v)}${unit ? ` ${unit}` : ""}`),
      })),
    ],
  };
  if (splits) options.axes[1].splits = splits;
  const plot = new uPlot(options, [x, ...series.map((s) => withGaps(unpack(s.values)))], frame);
  frame.dataset.points = String(x.length);
  new ResizeObserver(() => {
    const width = Math.floor(frame.clientWidth);
    if (width > 0 && width !== plot.width) plot.setSize({ width, height });
  }).observe(frame);
  // a redraw takes the colours of the new theme; the marks of the legend are elements of their own
  onTheme(() => {
    plot.redraw(false);
    recolor(plot);
  });
  recolor(plot);
  return { title, plot, yLabel, xLabel: last ? xLabel : undefined };
}

function recolor(plot) {
  plot.root.querySelectorAll(".u-legend .u-series").forEach((row, i) => {
    const stroke = plot.series[i]?.stroke;
    const mark = row.querySelector(".u-marker");
    if (mark && stroke) mark.style.borderColor = typeof stroke === "function" ? stroke(plot, i) : stroke;
  });
}

export function lineChart(holder, figure) {
  const x = unpack(figure.x);
  const parts = figure.panels.map((p, i) =>
    panel(holder, {
      title: p.title,
      x,
      series: p.series,
      xLabel: figure.xLabel,
      yLabel: p.yLabel,
      unit: p.unit,
      last: i === figure.panels.length - 1,
      sync: figure.id,
      height: p.height ?? 190,
    }),
  );
  if (figure.clock) for (const { plot } of parts) mark(plot);
  saveButtons(holder, figure.id, parts);
  let now = x;
  onRows(figure.id, (rows) => {
    now = appended(now, rows.x);
    parts.forEach(({ plot }, i) => {
      const more = rows.panels[i].map((values) => Array.from(withGaps(unpack(values))));
      plot.setData([now, ...more.map((values, k) => Array.from(plot.data[k + 1]).concat(values))]);
    });
  });
}

// A line at the time of the page's clock; a click sets the clock.
function mark(plot) {
  const line = document.createElement("div");
  line.className = "now";
  plot.over.append(line);
  let now = plot.data[0][0];
  const put = () => {
    const left = plot.valToPos(now, "x");
    line.style.left = `${left}px`;
    line.hidden = !(left >= 0 && left <= plot.over.clientWidth);
    line.dataset.time = String(now);
  };
  onTime((time) => {
    now = time;
    put();
  });
  plot.hooks.draw = [...(plot.hooks.draw ?? []), put];
  plot.over.addEventListener("click", (event) => setTime(plot.posToVal(event.offsetX, "x"), plot));
  put();
}

const PHASE_TICKS = (u, axis, low, high) => {
  const step = [15, 45, 90, 180, 360, 720, 1440, 3600].find((s) => (high - low) / s <= 6) ?? 7200;
  const out = [];
  for (let v = Math.ceil(low / step) * step; v <= high; v += step) out.push(v);
  return out;
};

export function bodeChart(holder, figure) {
  const x = unpack(figure.x);
  const common = { x, xLabel: figure.xLabel, log: true, sync: figure.id };
  const part = (key) => figure.series.map((s) => ({ label: s.label, values: s[key], dash: s.dash, color: s.color }));
  const gain = panel(holder, { ...common, title: figure.magnitudeTitle ?? "Magnitude", yLabel: figure.magnitudeLabel ?? "dB", unit: "dB", series: part("magnitude"), height: 250, last: false });
  const phase = panel(holder, { ...common, title: "Phase", yLabel: "degrees", unit: "°", series: part("phase"), height: 210, last: true, splits: PHASE_TICKS });
  saveButtons(holder, figure.id, [gain, phase]);
}
