// Numbers as words.

// Four significant digits without a row of noughts; uPlot's own log labels print 1e-4 as 0.
export function short(value) {
  if (value == null || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size >= 1e5 || size < 1e-3) return value.toExponential(2).replace("e+", "e").replace("-", "−").replace("e-", "e−");
  return String(Number(value.toPrecision(4))).replace("-", "−");
}

// A value with its unit, large ones in thousands or millions: 612 kN, 10 km.
export function withUnit(value, unit) {
  const [factor, letter] = [[1e6, "M"], [1e3, "k"]].find(([f]) => Math.abs(value) >= f && (unit !== "m" || f < 1e6)) ?? [1, ""];
  return /^(N|Pa|N\*m|W|J|m)$/.test(unit) ? `${Number((value / factor).toPrecision(3))} ${letter}${unit}` : `${short(value)} ${unit}`.trim();
}
