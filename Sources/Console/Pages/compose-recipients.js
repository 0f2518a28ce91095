import { count } from "/console/elements.js";

/** The maximum number of bytes of a device token that the service accepts. */
const tokenBytesMax = 100;

/** The maximum number of further invalid lines that a message names. */
const namedLinesMax = 5;

/** Returns the problem with a line of a list of device tokens, as the service reports it; null if the line is valid. */
function fault(line) {
  // The service also accepts objects, and checks their members.
  if (!line.trim() || line.startsWith("{")) return null;
  const digits = line.replace(/[ <>]/g, "");
  if (!/^[0-9a-f]+$/i.test(digits)) return { error: "not hexadecimal", advice: "expected two digits for each byte of the token" };
  if (digits.length % 2) {
    return { error: `odd number of digits (${digits.length})`, advice: "expected an even number of hexadecimal digits (two for each byte)" };
  }
  const bytes = digits.length / 2;
  return bytes > tokenBytesMax ? { error: `${bytes} bytes are too many for a token`, advice: `expected up to ${tokenBytesMax} bytes` } : null;
}

/** Returns the problem with the first invalid line of a list, and the numbers of the next ones; null if all are valid. */
export function invalidToken(list) {
  const found = [];
  list.split("\n").forEach((line, index) => {
    const problem = fault(line.replace(/\r$/, ""));
    if (problem) found.push({ number: index + 1, ...problem });
  });
  const [first, ...others] = found;
  if (!first) return null;
  const named = others.slice(0, namedLinesMax).map(({ number }) => number);
  const rest = others.length - named.length;
  const also = others.length === 0 ? "" : `. Also invalid: ${others.length === 1 ? "line" : "lines"} ${named.join(", ")}`
    + (rest ? ` and ${count(rest, "more line", "more lines")}` : "");
  return { error: `line ${first.number}: ${first.error}`, advice: `${first.advice}${also}` };
}
