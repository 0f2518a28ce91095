internal import BelfryWire
public import PushWire
import Glibc
public import System

/// A file of the pushes that the devices of one run have received, one JSON line per push.
///
/// `belfry device received` reads the file.
public final class ReceivedFile {
  private let descriptor: Int32

  /// Begins a run: empties the file and discards the record of lines that were already returned.
  public init(_ path: String) throws(SystemFailure) {
    try FileSystem.remove(Self.recordFile(of: path))
    let flags = O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC
    descriptor = unsafe open(path, flags, 0o600)
    guard descriptor >= 0 else { throw .call(name: "open", errno: errno, subject: path) }
  }

  deinit { close(descriptor) }

  /// Returns the path of the file that records which lines of the file at `path` were already returned.
  public static func recordFile(of path: String) -> String { path + ".returned" }

  /// Appends a notification that was received for `subject`; `token` is empty for a channel.
  public func append(
    _ notification: LinkNotification, for subject: LinkSubject, token: [UInt8], device: UInt64
  ) {
    var line: JSONObject = ["event": "received"]
    line["device"] = Int64(exactly: device).map { .integer($0) } ?? .string("\(device)")
    line["topic"] = .string(subject.bundleID)
    switch subject {
    case .topic(let topic): line["type"] = .string("\(topic.kind.name)")
    case .channel(let channel):
      line["channel"] = .string(Base64.encode(channel.identifier, url: false))
    }
    line["apnsID"] = .string(notification.id.text)
    line["uniqueID"] = .string(notification.uniqueID.text)
    // A payload that is not JSON is written in base64.
    line["payload"] =
      (try? JSONValue(parsing: notification.payload))
      ?? .string(Base64.encode(notification.payload, url: false))
    line["priority"] = .integer(Int64(notification.priority))
    line["stored"] = .bool(notification.isFromStorage)
    line["pushType"] = notification.pushType.map { .string("\($0.name)") }
    if !notification.collapseID.isEmpty {
      line["collapseID"] = .string(String(decoding: notification.collapseID, as: UTF8.self))
    }
    line["token"] = token.isEmpty ? nil : .string(Hexadecimal.encode(token))
    // Write the line with one system call, so that a reader never sees part of it.
    let bytes = JSONValue.object(line).bytes + [0x0A]
    unsafe bytes.withUnsafeBytes {
      _ = unsafe write(descriptor, $0.baseAddress, $0.count)
    }
  }
}
