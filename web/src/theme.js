// Dark and light: the system's wish unless the reader chose.

const listeners = [];

export function theme() {
  const chosen = document.documentElement.dataset.theme;
  if (chosen) return chosen;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

// Value of a CSS variable of the page.
export function color(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

export function onTheme(listener) {
  listeners.push(listener);
}

function changed() {
  const button = document.getElementById("theme");
  if (button) button.setAttribute("aria-pressed", String(theme() === "dark"));
  for (const listener of listeners) listener(theme());
}

export function startTheme() {
  let kept = null;
  try {
    kept = localStorage.getItem("interstage-theme");
  } catch {
    // pages opened from a folder may have no storage
  }
  if (kept === "dark" || kept === "light") document.documentElement.dataset.theme = kept;
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
  document.getElementById("theme")?.addEventListener("click", () => {
    const next = theme() === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = next;
    try {
      localStorage.setItem("interstage-theme", next);
    } catch {
      // not kept, then
    }
    changed();
  });
  changed();
}
