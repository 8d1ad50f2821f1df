// The contributions to an output as bars, each beginning where the one before ends.

const WATERFALL = { line: 24, right: 76, letter: 6.8 }; // pixels

// Return [name, value] of every step from the offset on, and the output.
const listSteps = (steps, values) => steps.map(([name, part]) => [name, sumPart(part, values)]);

function drawWaterfall(svg, steps, output, total) {
  const { line, right, letter } = WATERFALL, height = line * (steps.length + 1) + 6;
  const width = clamp(svg.parentNode.clientWidth - 34, 280, 560), left = Math.round(0.4 * width);
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
  const parts = bars.flatMap(({ name, value, from, to, total: isTotal }, k) => {
    const [a, b] = [from, to].map(scale.pixel).sort((p, q) => p - q), top = line * k + 4;
    const kind = isTotal ? "total" : value < 0 ? "bar negative" : "bar";
    const short = name.length > letters ? `${name.slice(0, letters - 1)}…` : name;
    const link = k ? draw("path", { class: "guide", d: `M${scale.pixel(from)} ${top - 8}v${line - 8}` }) : "";
    const sign = value > 0 && k && !isTotal ? "+" : "";
    return [
      isTotal ? "" : link,
      draw("rect", { class: kind, x: a, y: top, width: Math.max(b - a, 1), height: line - 8 }),
      text(left - 8, top + 12, short, isTotal ? "name end strong" : "name end"),
      text(width, top + 12, sign + format(value), isTotal ? "value end strong" : "value end"),
    ].filter(Boolean);
  });
  const zero = scale.pixel(clamp(0, low, high));
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("aria-label", bars.map(({ name, value }) => `${name} ${format(value)}`).join("; "));
  svg.replaceChildren(draw("path", { class: "axis", d: `M${zero} 0V${height}` }), ...parts);
}
