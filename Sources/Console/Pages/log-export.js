import { call, patience } from "/console/api.js";
import { saveFile } from "/console/elements.js";

const columns = ["at", "state", "reason", "apnsID", "uniqueID", "device", "topic", "pushType"];

/** Returns a value for a CSV file. An apostrophe precedes a value that a spreadsheet would interpret as a formula. */
function cell(value) {
  let text = String(value ?? "");
  if (/^[=+\-@\t\r]/.test(text)) text = `'${text}`;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Returns the lines as CSV. */
export function csv(lines) {
  return [columns, ...lines.map((line) => columns.map((name) => line[name]))].map((row) => row.map(cell).join(",") + "\r\n").join("");
}

/** Saves every line of the gateway's log that the query selects. Returns the number of lines. */
export async function save(form, query) {
  const lines = await call("GET", `/api/log?${query}`, undefined, { patience: patience.long });
  const text = form === "csv" ? csv(lines) : lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  saveFile(`delivery-log.${form === "csv" ? "csv" : "jsonl"}`, new Blob([text], { type: form === "csv" ? "text/csv" : "application/x-ndjson" }));
  return lines.length;
}
