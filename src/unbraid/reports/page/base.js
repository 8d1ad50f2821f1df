// Elements, numbers, and decoding of packed arrays.

const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));

// Return an HTML element. Children that are strings become text, never markup.
function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

// Return an SVG element.
function draw(name, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

// Return a button that calls a function.
function makeButton(text, label, action) {
  const button = make("button", { type: "button", "aria-label": label, title: label }, text);
  button.addEventListener("click", action);
  return button;
}

const decode = (text, Type) => new Type(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
const singles = (packed) =>
  (Array.isArray(packed) ? packed : Array.from(decode(packed, Float32Array)));
const doubles = (text) => Array.from(decode(text, Float64Array));

// Return numbers that are packed as their range and 16 bits for each; the last level is unknown.
const levels = ([low, high, text]) =>
  Array.from(decode(text, Uint16Array), (level) =>
    (level === 65535 ? NaN : low + ((high - low) * level) / 65534));

// Return the values of an axis: packed, or the first, the last and how many.
function axisValues(packed) {
  if (typeof packed === "string") return singles(packed);
  const [first, last, count] = packed;
  return Array.from({ length: count }, (_, k) => first + ((last - first) * k) / (count - 1));
}

const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
const raise = (exponent) =>
  String(exponent).replace(/[-0-9]/g, (c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[c]));

// Return a number as text, as the rest of the page writes numbers.
function format(value, digits = 4) {
  if (Number.isNaN(value)) return "unknown";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e9) return String(value).replace("-", "−");
  if (size >= 1e-3 && size < 1e5) return String(Number(value.toPrecision(digits))).replace("-", "−");
  const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
  return `${Number(mantissa)}·10${raise(Number(exponent))}`.replace("-", "−");
}

// Return a number that is 0 if it is rounding error beside the range of its axis.
const settle = (value, range) => (Math.abs(value) < 1e-6 * Math.abs(range) ? 0 : value);

// Return the index of the entry of a rising array that is nearest to a value.
function nearestIndex(rising, value) {
  let low = 0, high = rising.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (rising[middle] <= value) low = middle;
    else high = middle;
  }
  return value - rising[low] <= rising[high] - value ? low : high;
}
