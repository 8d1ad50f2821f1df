// The contributions to an output as bars, each beginning where the one before ends.

const WATERFALL = { line: 24, second: 12, right: 64, letter: 6.1 }; // pixels
const UNITS = / \[[^\[\]]{1,12}\]/g;

// Return a name without units in at most two lines; what has no room is cut off.
function wrapName(name, letters) {
  const words = name.replace(UNITS, "").split(" "), lines = [""];
  for (const word of words) {
    const longer = lines.at(-1) ? `${lines.at(-1)} ${word}` : word;
    if (longer.length <= letters || !lines.at(-1)) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  const kept = lines.length > 2 ? [lines[0], lines.slice(1).join(" ")] : lines;
  return kept.map((line) => (line.length > letters ? `${line.slice(0, letters - 1)}…` : line));
}

// Return [name, value] of every step from the offset on, and the output.
const listSteps = (steps, values) => steps.map(([name, part]) => [name, sumPart(part, values)]);

function drawWaterfall(svg, steps, output, total) {
  const { line, second, right, letter } = WATERFALL;
  const width = clamp(svg.parentNode.clientWidth - 34, 280, 560), left = Math.round(0.46 * width);
  const letters = Math.floor((left - 8) / letter);
  if (!Number.isFinite(total)) return svg.replaceChildren(); // beyond the range of a branch
  let level = 0;
  const bars = steps.map(([name, value]) => {
    level += value;
    return { name, value, from: level - value, to: level };
  });
  bars.push({ name: output, value: total, from: 0, to: total, total: true });
  const ends = bars.flatMap(({ from, to }) => [from, to]);
  const low = Math.min(...ends), high = Math.max(...ends);
  const scale = makeScale(low, high > low ? high : low + 1, 0, left, width - right);
  const text = (x, y, content, kind) => draw("text", { x, y, class: kind }, content);
  let height = 4;
  const parts = bars.flatMap(({ name, value, from, to, total: isTotal }, k) => {
    const names = wrapName(name, letters), top = height + (second * (names.length - 1)) / 2;
    const [a, b] = [from, to].map(scale.pixel).sort((p, q) => p - q), before = height;
    height += line + second * (names.length - 1);
    const kind = isTotal ? "total" : value < 0 ? "bar negative" : "bar";
    const link = k ? draw("path", { class: "guide", d: `M${scale.pixel(from)} ${before - 8}V${top}` }) : "";
    const sign = value > 0 && k && !isTotal ? "+" : "";
    return [
      isTotal ? "" : link,
      draw("rect", { class: kind, x: a, y: top, width: Math.max(b - a, 1), height: line - 8 }),
      ...names.map((short, n) =>
        text(left - 8, before + 12 + second * n, short, isTotal ? "name end strong" : "name end")),
      text(width, top + 12, sign + format(value), isTotal ? "value end strong" : "value end"),
    ].filter(Boolean);
  });
  const zero = scale.pixel(clamp(0, low, high));
  height += 2;
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("aria-label", bars.map(({ name, value }) => `${name} ${format(value)}`).join("; "));
  svg.replaceChildren(draw("path", { class: "axis", d: `M${zero} 0V${height}` }), ...parts);
}
