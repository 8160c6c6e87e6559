// Buttons that save a chart: its numbers (CSV), and its picture (PNG, SVG), all made in the page.

const XML = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const text = (words) => String(words).replace(/[&<>"]/g, (c) => XML[c]);
const cell = (words) => (/[",\n]/.test(words) ? `"${words.replaceAll('"', '""')}"` : words);

// Columns of all panels; panels of one figure share x. A gap is an empty cell.
export function csvOf(parts) {
  const [x] = parts[0].plot.data;
  const columns = parts.flatMap(({ title, plot }) =>
    plot.series.slice(1).map((s, i) => ({ name: [title, s.label].filter(Boolean).join(": "), values: plot.data[i + 1] })),
  );
  const head = [parts.at(-1).xLabel ?? "x", ...columns.map((c) => c.name)].map((n) => cell(String(n)));
  const rows = Array.from(x, (v, k) => [v, ...columns.map((c) => c.values[k] ?? "")].join(","));
  return [head.join(","), ...rows, ""].join("\n");
}

// One panel as SVG at (0, top): frame, ticks with their labels, lines, legend.
function panelSvg({ title, plot, yLabel, xLabel }, top) {
  const dpr = globalThis.devicePixelRatio || 1;
  const box = { x: plot.bbox.left / dpr, y: plot.bbox.top / dpr, w: plot.bbox.width / dpr, h: plot.bbox.height / dpr };
  const out = [`<g transform="translate(0 ${top})">`];
  if (title) out.push(`<text x="${box.x}" y="-6" font-weight="600">${text(title)}</text>`);
  out.push(`<rect x="${box.x}" y="${box.y}" width="${box.w}" height="${box.h}" fill="none" stroke="#bbb"/>`);
  plot.axes.forEach((axis, i) => {
    (axis._splits ?? []).forEach((v, k) => {
      const label = axis._values?.[k];
      const at = plot.valToPos(v, i === 0 ? "x" : "y");
      if (!Number.isFinite(at) || label == null || label === "") return;
      if (i === 0) out.push(`<text x="${box.x + at}" y="${box.y + box.h + 16}" text-anchor="middle">${text(label)}</text>`);
      else out.push(`<text x="${box.x - 6}" y="${box.y + at + 4}" text-anchor="end">${text(label)}</text>`);
    });
  });
  plot.series.slice(1).forEach((s, i) => {
    if (!s.show) return;
    let path = "";
    let pen = "M";
    plot.data[i + 1].forEach((v, k) => {
      const inside = plot.data[0][k] >= plot.scales.x.min && plot.data[0][k] <= plot.scales.x.max;
      if (v == null || !inside) pen = "M";
      else {
        path += `${pen}${(box.x + plot.valToPos(plot.data[0][k], "x")).toFixed(2)} ${(box.y + plot.valToPos(v, "y")).toFixed(2)}`;
        pen = "L";
      }
    });
    const stroke = text(typeof s.stroke === "function" ? s.stroke(plot, i + 1) : s.stroke);
    const dash = s.dash ? ' stroke-dasharray="6 4"' : "";
    out.push(`<path d="${path}" fill="none" stroke="${stroke}" stroke-width="${s.width}"${dash}/>`);
    const y = plot.height + 14 + 18 * i;
    out.push(`<path d="M${box.x} ${y - 4}h22" stroke="${stroke}" stroke-width="${s.width}"${dash}/>`);
    out.push(`<text x="${box.x + 30}" y="${y}">${text(s.label)}</text>`);
  });
  if (yLabel) out.push(`<text transform="translate(12 ${box.y + box.h / 2}) rotate(-90)" text-anchor="middle">${text(yLabel)}</text>`);
  if (xLabel) out.push(`<text x="${box.x + box.w / 2}" y="${box.y + box.h + 32}" text-anchor="middle">${text(xLabel)}</text>`);
  return [...out, "</g>"].join("");
}

export function svgOf(parts) {
  let top = 24;
  const groups = parts.map((part) => {
    const group = panelSvg(part, top);
    top += part.plot.height + 18 * (part.plot.series.length - 1) + 44;
    return group;
  });
  const width = Math.max(...parts.map((p) => p.plot.width));
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${top}" font-family="sans-serif" font-size="12" fill="#333"><rect width="100%" height="100%" fill="#fff"/>${groups.join("")}</svg>`;
}

function give(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function png(svg, name) {
  const picture = new Image();
  picture.onload = () => {
    const canvas = document.createElement("canvas");
    canvas.width = 2 * picture.width;
    canvas.height = 2 * picture.height;
    const pen = canvas.getContext("2d");
    pen.scale(2, 2);
    pen.drawImage(picture, 0, 0);
    canvas.toBlob((blob) => give(blob, name), "image/png");
  };
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
}

function buttons(after, actions) {
  const row = document.createElement("div");
  row.className = "save";
  for (const [name, action] of Object.entries(actions)) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = name;
    button.title = `Save this chart as ${name}`;
    button.addEventListener("click", action);
    row.append(button);
  }
  after(row);
}

export function saveButtons(holder, id, parts) {
  buttons((row) => holder.append(row), {
    CSV: () => give(new Blob([csvOf(parts)], { type: "text/csv" }), `${id}.csv`),
    PNG: () => png(svgOf(parts), `${id}.png`),
    SVG: () => give(new Blob([svgOf(parts)], { type: "image/svg+xml" }), `${id}.svg`),
  });
}

// What the page's style says of a drawing that leaves the page.
const STYLE = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font-family", "font-size", "font-weight", "text-anchor"];

function standalone(drawing) {
  const copy = drawing.cloneNode(true);
  const [from, to] = [drawing, copy].map((one) => [one, ...one.querySelectorAll("*")]);
  from.forEach((element, k) => {
    const style = getComputedStyle(element);
    to[k].setAttribute("style", STYLE.map((name) => `${name}:${style.getPropertyValue(name)}`).join(";"));
    for (const name of ["data-row", "data-tip"]) to[k].removeAttribute(name);
  });
  const { width, height } = drawing.getBoundingClientRect();
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  if (!copy.hasAttribute("viewBox")) copy.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  const { x, y, width: w, height: h } = copy.viewBox.baseVal;
  for (const [name, value] of Object.entries({ x, y, width: w, height: h })) paper.setAttribute(name, value);
  paper.setAttribute("fill", getComputedStyle(document.body).backgroundColor);
  copy.prepend(paper);
  return new XMLSerializer().serializeToString(copy);
}

// Drawings get the same buttons; numbers are in their marks, where they have some.
export function saveDrawings() {
  document.querySelectorAll("svg.figure, .scroll > svg").forEach((drawing, k) => {
    const id = `drawing-${k + 1}`;
    const marks = [...drawing.querySelectorAll("[data-row]")].map((mark) => mark.dataset.row);
    const table = [drawing.dataset.head, ...marks, ""].join("\n");
    const last = drawing.parentElement.classList.contains("scroll") ? drawing.parentElement : drawing;
    buttons((row) => last.after(row), {
      ...(marks.length && { CSV: () => give(new Blob([table], { type: "text/csv" }), `${id}.csv`) }),
      PNG: () => png(standalone(drawing), `${id}.png`),
      SVG: () => give(new Blob([standalone(drawing)], { type: "image/svg+xml" }), `${id}.svg`),
    });
  });
}
