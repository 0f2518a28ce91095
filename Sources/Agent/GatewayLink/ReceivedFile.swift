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
  ///
  /// A push of an earlier run must not satisfy a test of this run. If the file contains anything other than received
  /// pushes, it stays unchanged and causes an error, because the user might have mistyped the path.
  public init(_ path: String) throws(SystemFailure) {
    guard try Self.mayEmpty(path) else {
      throw .unusable(
        text: path,
        reason: "it has content other than received pushes, and each run empties the file: choose "
          + "another path, or remove the file")
    }
    try FileSystem.remove(Self.recordFile(of: path))
    let flags = O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC
    descriptor = unsafe open(path, flags, 0o600)
    guard descriptor >= 0 else { throw .lastCreating(path) }
  }

  /// The maximum length of a line, in bytes; a payload has at most 5,120 bytes, and the other fields are short.
  private static let lineBytesMax = 65_536

  /// Returns true if nothing is lost when the file is emptied: the file is missing, is empty, is not a regular file, or
  /// begins with a line of an earlier run.
  private static func mayEmpty(_ path: String) throws(SystemFailure) -> Bool {
    guard FileSystem.isRegularFile(path), FileSystem.byteCount(of: path) != 0 else { return true }
    let beginning = try FileSystem.beginning(ofRegularFile: path, count: lineBytesMax)
    // The file might have been emptied since.
    guard !beginning.isEmpty else { return true }
    let line = Array(beginning.prefix { $0 != 0x0A })
    return (try? JSONValue(parsing: line))?.objectValue?["event"] == "received"
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
