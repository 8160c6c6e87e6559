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

const options = {
  bundle: true,
  minify: true,
  charset: "utf8",
  legalComments: "none",
  target: ["es2020", "safari15"],
  logLevel: "warning",
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
