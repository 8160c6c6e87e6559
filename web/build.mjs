// Bundle the report's script and style into the Python package. A rebuild gives the same bytes.
//   npm ci && npm run build            (folder: where to write; the package by default)
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "..", "src", "interstage", "report", "web");

const parts = ["three", "uplot"].map((name) => {
  const folder = join(here, "node_modules", name);
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return { name, version, license: readFileSync(join(folder, "LICENSE"), "utf8").trim() };
});
const names = { three: "three.js", uplot: "uPlot" };
const notices =
  "The report's script contains these works:\n\n" +
  parts.map((p) => `${names[p.name]} ${p.version}\n\n${p.license}\n`).join("\n");
const banner = `/*! ${parts.map((p) => `${names[p.name]} ${p.version} (MIT)`).join(", ")}: see the notices in the report */`;

// three.js brings the shaders of all its materials; the viewer has its own and needs of them these two alone.
const KEPT = ["colorspace_pars_fragment", "tonemapping_pars_fragment"];

// What a shader's lines say in one, where none of them is a directive.
const oneLine = (text) => text.trim().replace(/\s*\n\s*/g, " ");

function change(name, filter, changed) {
  const setup = ({ onLoad }) =>
    onLoad({ filter }, ({ path }) => ({
      contents: changed(readFileSync(path, "utf8")),
      loader: path.endsWith(".css") ? "css" : "js",
    }));
  return { name, setup };
}

const shaders = change("shaders of three.js", /three\.module\.js$/, (text) => {
  const chunks = text.match(/const ShaderChunk = \{([^}]*)\}/)[1].matchAll(/(\w+): ([\w$]+)/g);
  const unused = new Set([...chunks].filter(([, name]) => !KEPT.includes(name)).map(([, , value]) => value));
  return text
    .replace(/^(?:var|const) ([\w$]+) = ".*";$/gm, (line, name) => (unused.has(name) ? `const ${name} = "";` : line))
    .replace(/\/\* glsl \*\/\s*`[^`]*`/g, '""');
});
const own = change("shaders of the viewer", /materials\.js$/, (text) =>
  text.replace(/\/\* glsl \*\/ `([^`]*)`/g, (_, shader) => JSON.stringify(oneLine(shader))),
);
const dark = change("dark by the system's wish", /dark\.css$/, (text) => {
  const wished = text.replace('[data-theme="dark"]', ':not([data-theme="light"])');
  return `${text}@media (prefers-color-scheme: dark) {${wished}}`;
});

const options = {
  bundle: true,
  minify: true,
  charset: "utf8",
  legalComments: "none",
  target: ["es2020", "safari15"],
  logLevel: "warning",
  plugins: [shaders, own, dark],
};
await build({
  ...options,
  entryPoints: [join(here, "src", "main.js")],
  outfile: join(out, "report.js"),
  format: "iife",
  banner: { js: banner },
});
await build({ ...options, entryPoints: [join(here, "src", "style.css")], outfile: join(out, "report.css"), banner: { css: banner } });
writeFileSync(join(out, "notices.txt"), notices);
