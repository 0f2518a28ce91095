import { copyButton, h } from "/console/elements.js";

/**
 * Returns the command that starts a virtual device of the gateway whose data is in `folder`, for the user to read and
 * copy.
 */
export function deviceCommand(folder) {
  const gateway = folder ? ` --gateway ${word(`${folder}/gateway.json`)}` : "";
  const text = `belfry device run --app com.example.app${gateway}`;
  return h("div", { class: "command" }, h("pre", { tabindex: "0", "aria-label": "Command" }, text), copyButton(text, "Copy command"));
}

/** Returns a text as one word for a shell, with quotation marks only if they are needed. */
export function word(text) { return /^[\w./:-]+$/.test(text) ? text : quoted(text); }

/** Returns a text in single quotation marks for a shell. */
function quoted(text) { return `'${text.replaceAll("'", `'\\''`)}'`; }

/**
 * Returns a text in double quotation marks for Swift or Python. Characters that either language would interpret are
 * escaped, because neither supports all of JSON's escapes.
 */
function literal(text, escape) {
  const marked = [...String(text)].map((one) => {
    const code = one.codePointAt(0);
    if (one === '"' || one === "\\") return `\\${one}`;
    const isPlain = code >= 0x20 && code < 0x7f || code > 0xa0 && !(code >= 0xd800 && code < 0xe000) && !/[\p{C}\p{Z}]/u.test(one);
    return isPlain || one === " " ? one : escape(code);
  });
  return `"${marked.join("")}"`;
}
/** Returns a Swift literal; U+FFFD replaces an unpaired surrogate, which isn't a Unicode scalar. */
const swift = (text) => literal(text, (code) => `\\u{${(code >= 0xd800 && code < 0xe000 ? 0xfffd : code).toString(16)}}`);
const python = (text) => literal(text, (code) => `\\U${code.toString(16).padStart(8, "0")}`);

/** Returns a whole number unchanged; null for any other text, which a program would interpret as code. */
function number(text) { return /^\d{1,15}$/.test(text ?? "") ? text : null; }

/** Returns the host and the port of `HOST:PORT`. */
function parts(place) {
  const [, host, port] = place.provider.match(/^(.*):(\d+)$/) ?? [null, place.provider, "443"];
  return [host, port];
}

/** Returns a payload without insignificant whitespace; unchanged if the payload isn't JSON. */
function compact(text) {
  try { return JSON.stringify(JSON.parse(text)); } catch { return text; }
}

/** Returns the push as a curl command. */
export function asCurl(push, place) {
  const fields = { "apns-topic": push.topic, "apns-push-type": push.type, "apns-priority": push.priority,
    "apns-expiration": push.expiration, "apns-collapse-id": push.collapseID, "apns-id": push.id };
  const lines = [
    `curl --http2 --cacert ${quoted(place.caFile)} \\`,
    `  --header "authorization: bearer $(belfry key jwt --id ${quoted(push.key)} --data ${quoted(place.folder)})" \\`,
    ...Object.entries(fields).filter(([, value]) => value)
      .map(([name, value]) => `  --header ${quoted(`${name}: ${value}`)} \\`),
    `  --data-raw ${quoted(compact(push.payload))} \\`,
    `  ${quoted(`https://${place.provider}/3/device/${push.token ?? "TOKEN"}`)}`,
  ];
  return lines.join("\n");
}

/** Returns the push as Swift code. */
export function asSwift(push, place) {
  const [host, port] = parts(place);
  const rest = [];
  if (/^[a-z]+$/.test(push.type ?? "")) rest.push(`type: .${{ fileprovider: "fileProvider", liveactivity: "liveActivity", pushtotalk: "pushToTalk" }[push.type] ?? push.type}`);
  if (number(push.priority)) rest.push(`priority: ${push.priority}`);
  if (number(push.expiration)) rest.push(push.expiration === "0" ? "expiration: .once" : `expiration: .until(unixSeconds: ${push.expiration})`);
  if (push.collapseID) rest.push(`collapseID: ${swift(push.collapseID)}`);
  if (push.id) rest.push(`id: ${swift(push.id)}`);
  const payload = compact(push.payload);
  // Use more # marks than any part of the payload has. With fewer, a quotation mark in the payload would end the
  // literal, or a backslash would begin an escape.
  let marks = "#";
  while (payload.includes(`"${marks}`) || payload.includes(`\\${marks}`)) marks += "#";
  const text = /[\p{C}\p{Zl}\p{Zp}]/u.test(payload) ? swift(payload) : `${marks}"${payload}"${marks}`;
  return `import BelfryProvider
import Foundation

let folder = ${swift(place.folder)}
func file(_ name: String) throws -> [UInt8] {
  Array(try Data(contentsOf: URL(filePath: "\\(folder)/\\(name)")))
}
let client = try ProviderClient(
  .init(
    endpoint: ProviderEndpoint(host: ${swift(host)}, port: ${port}),
    credentials: .token(
      try ProviderKey(
        p8: try file(${swift(`AuthKey_${push.key}.p8`)}), keyID: ${swift(push.key)}, teamID: ${swift(place.team)})),
    authorityPEM: try file("ca.pem")))
let push = Push(
  to: ${swift(push.token ?? "TOKEN")}, topic: ${swift(push.topic ?? "")},
  payload: Array(${text}.utf8)${rest.length ? ",\n  " + rest.join(", ") : ""})
print(try await client.send(push))
`;
}

/** Returns the push as Python code. */
export function asPython(push, place) {
  const [host, port] = parts(place);
  const rest = [];
  if (push.type) rest.push(`push_type=aioapns.PushType(${python(push.type)})`);
  if (number(push.priority)) rest.push(`priority=${push.priority}`);
  if (number(push.expiration)) rest.push(`time_to_live=${push.expiration === "0" ? 0 : Math.max(0, push.expiration - Math.floor(Date.now() / 1000))}`);
  if (push.collapseID) rest.push(`collapse_key=${python(push.collapseID)}`);
  if (push.id) rest.push(`notification_id=${python(push.id)}`);
  return `import asyncio
import json
import pathlib
import ssl

import aioapns
import aioapns.connection

folder = pathlib.Path(${python(place.folder)})
# aioapns has no option for the server's address.
protocol = aioapns.connection.APNsDevelopmentClientProtocol
protocol.APNS_SERVER, protocol.APNS_PORT = ${python(host)}, ${port}


async def main():
    client = aioapns.APNs(
        key=(folder / ${python(`AuthKey_${push.key}.p8`)}).read_text(), key_id=${python(push.key)},
        team_id=${python(place.team)}, topic=${python(push.topic ?? "")}, use_sandbox=True,
        ssl_context=ssl.create_default_context(cafile=folder / "ca.pem"))
    request = aioapns.NotificationRequest(
        device_token=${python(push.token ?? "TOKEN")},
        message=json.loads(${python(compact(push.payload))}),
        ${rest.join(", ") || "priority=10"})
    answer = await client.send_notification(request)
    print(answer.status, answer.description or answer.notification_id)


asyncio.run(main())
`;
}
