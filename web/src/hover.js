// Words beside the pointer for the SVG figures: every mark with a <title> shows it at once, also by touch.

export function hoverSvg() {
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  document.body.append(tip);
  const show = (event) => {
    const mark = event.target.closest?.("[data-tip]");
    if (!mark) {
      tip.hidden = true;
      return;
    }
    tip.textContent = mark.dataset.tip;
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    const x = Math.min(event.clientX + 14, innerWidth - box.width - 8);
    const y = event.clientY + box.height + 24 > innerHeight ? event.clientY - box.height - 12 : event.clientY + 16;
    tip.style.transform = `translate(${Math.max(8, x)}px, ${y}px)`;
  };
  for (const drawing of document.querySelectorAll("svg.figure")) {
    drawing.addEventListener("pointermove", show);
    drawing.addEventListener("pointerdown", show);
    drawing.addEventListener("pointerleave", () => (tip.hidden = true));
  }
}
