// Mark the section that is being read in the bar on top.

export function startNavigation() {
  const links = new Map(
    [...document.querySelectorAll(".bar nav a")].map((link) => [link.getAttribute("href").slice(1), link]),
  );
  const sections = [...links.keys()].map((id) => document.getElementById(id)).filter(Boolean);
  if (!sections.length) return;
  const mark = () => {
    const line = innerHeight * 0.3;
    let current = sections[0];
    for (const section of sections) if (section.getBoundingClientRect().top <= line) current = section;
    for (const [id, link] of links) link.classList.toggle("here", id === current.id);
  };
  addEventListener("scroll", mark, { passive: true });
  mark();
}
