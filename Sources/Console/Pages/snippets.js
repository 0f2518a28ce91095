/** A text in single quotation marks for a shell. */
function quoted(text) { return `'${text.replaceAll("'", `'\\''`)}'`; }

/** A payload without the white space between its parts; as it is where it is no JSON. */
function compact(text) {
  try { return JSON.stringify(JSON.parse(text)); } catch { return text; }
}

/** The push as a command line. */
export function asCurl(push, place) {
  const fields = { "apns-topic": push.topic, "apns-push-type": push.type, "apns-priority": push.priority,
    "apns-expiration": push.expiration, "apns-collapse-id": push.collapseID, "apns-id": push.id };
  const lines = [
    `curl --http2 --cacert ${quoted(place.caFile)} \\`,
    `  --header "authorization: bearer $(belfry key jwt --id ${push.key} --data ${quoted(place.folder)})" \\`,
    ...Object.entries(fields).filter(([, value]) => value)
      .map(([name, value]) => `  --header ${quoted(`${name}: ${value}`)} \\`),
    `  --data ${quoted(compact(push.payload))} \\`,
    `  https://${place.provider}/3/device/${push.token ?? "TOKEN"}`,
  ];
  return lines.join("\n");
}

/** The push as Swift. */
export function asSwift(push, place) {
  const [, host, port] = place.provider.match(/^(.*):(\d+)$/);
  const rest = [];
  if (push.type) rest.push(`type: .${{ fileprovider: "fileProvider", liveactivity: "liveActivity", pushtotalk: "pushToTalk" }[push.type] ?? push.type}`);
  if (push.priority) rest.push(`priority: ${push.priority}`);
  if (push.expiration) rest.push(push.expiration === "0" ? "expiration: .once" : `expiration: .until(unixSeconds: ${push.expiration})`);
  if (push.collapseID) rest.push(`collapseID: ${JSON.stringify(push.collapseID)}`);
  if (push.id) rest.push(`id: ${JSON.stringify(push.id)}`);
  // As many marks as no part of the payload has.
  let marks = "#";
  while (push.payload.includes(`"${marks}`)) marks += "#";
  return `import BelfryProvider
import Foundation

let folder = ${JSON.stringify(place.folder)}
func file(_ name: String) throws -> [UInt8] {
  Array(try Data(contentsOf: URL(filePath: "\\(folder)/\\(name)")))
}
let client = try ProviderClient(
  .init(
    endpoint: ProviderEndpoint(host: "${host}", port: ${port}),
    credentials: .token(
      try ProviderKey(
        p8: try file("AuthKey_${push.key}.p8"), keyID: "${push.key}", teamID: "${place.team}")),
    authorityPEM: try file("ca.pem")))
let push = Push(
  to: ${JSON.stringify(push.token ?? "TOKEN")}, topic: ${JSON.stringify(push.topic ?? "")},
  payload: Array(${marks}"${compact(push.payload)}"${marks}.utf8)${rest.length ? ",\n  " + rest.join(", ") : ""})
print(try await client.send(push))
`;
}

/** The push as Python. */
export function asPython(push, place) {
  const [, host, port] = place.provider.match(/^(.*):(\d+)$/);
  const rest = [];
  if (push.type) rest.push(`push_type=aioapns.PushType(${JSON.stringify(push.type)})`);
  if (push.priority) rest.push(`priority=${push.priority}`);
  if (push.expiration) rest.push(`time_to_live=${push.expiration === "0" ? 0 : Math.max(0, push.expiration - Math.floor(Date.now() / 1000))}`);
  if (push.collapseID) rest.push(`collapse_key=${JSON.stringify(push.collapseID)}`);
  if (push.id) rest.push(`notification_id=${JSON.stringify(push.id)}`);
  return `import asyncio
import json
import pathlib
import ssl

import aioapns
import aioapns.connection

folder = pathlib.Path(${JSON.stringify(place.folder)})
# aioapns has no option for the server's address.
protocol = aioapns.connection.APNsDevelopmentClientProtocol
protocol.APNS_SERVER, protocol.APNS_PORT = "${host}", ${port}


async def main():
    client = aioapns.APNs(
        key=(folder / "AuthKey_${push.key}.p8").read_text(), key_id="${push.key}",
        team_id="${place.team}", topic=${JSON.stringify(push.topic ?? "")}, use_sandbox=True,
        ssl_context=ssl.create_default_context(cafile=folder / "ca.pem"))
    request = aioapns.NotificationRequest(
        device_token=${JSON.stringify(push.token ?? "TOKEN")},
        message=json.loads(${JSON.stringify(compact(push.payload))}),
        ${rest.join(", ") || "priority=10"})
    answer = await client.send_notification(request)
    print(answer.status, answer.description or answer.notification_id)


asyncio.run(main())
`;
}
