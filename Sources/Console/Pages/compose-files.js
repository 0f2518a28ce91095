import { call } from "/console/api.js";
import { sentences } from "/console/elements.js";

/** Decodes a strings file, which can be in UTF-8 or, if an older tool wrote it, in UTF-16. */
function decode(bytes) {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
}

/** The maximum size of all files in one request, in bytes, with room for the request itself. */
const mostBytes = 900_000;

/**
 * Returns what is wrong with a JSON text, and where, in the words of the service. A dry run with the text as its payload
 * changes nothing.
 */
async function faultOf(text) {
  const refusal = await call("POST", "/campaigns", { payload: text, dryRun: true }).catch((one) => one);
  const fault = refusal.errors?.find((one) => one.field === "payload");
  return fault ? sentences(fault.error, fault.advice) : "invalid JSON.";
}

/**
 * Reads a campaign and the strings files to which it refers; returns null if there are no files. `sources` of the result
 * contains each file with its text.
 */
export async function readFiles(files) {
  if (files.length === 0) return null;
  const total = files.reduce((sum, file) => sum + file.size, 0);
  if (total > mostBytes) throw new Error(`The files are too large: ${total.toLocaleString()} bytes (max ${mostBytes.toLocaleString()}). Choose fewer files.`);
  const texts = {};
  for (const file of files) {
    try {
      texts[file.name] = decode(new Uint8Array(await file.arrayBuffer()));
    } catch {
      throw new Error(`${file.name} is not a text file. Choose a campaign and its strings files.`);
    }
  }
  let found = null;
  for (const [name, text] of Object.entries(texts).filter(([name]) => name.endsWith(".json"))) {
    let object;
    try { object = JSON.parse(text); } catch { throw new Error(`${name}: ${await faultOf(text)}`); }
    if (object?.topic === undefined && object?.payload === undefined && object?.alert === undefined) continue;
    if (found) throw new Error(`${found.name} and ${name} are both campaigns. Choose one.`);
    found = { name, object };
  }
  if (!found) throw new Error("No campaign selected. Choose a JSON file with a topic and an alert.");
  const sources = files.map((file) => [file, texts[file.name]]);
  delete texts[found.name];
  // The form's buttons decide whether the campaign is sent, tried, or saved as a draft.
  delete found.object.draft;
  delete found.object.dryRun;
  return { campaign: found.object, files: texts, sources };
}

/** Returns the name of a file whose content is no longer the text that was read from it; null if there is none. */
export async function changedFile(sources) {
  for (const [file, text] of sources) {
    try {
      if (decode(new Uint8Array(await file.arrayBuffer())) !== text) return file.name;
    } catch {
      // Some browsers don't read a file again after it has changed.
      return file.name;
    }
  }
  return null;
}
