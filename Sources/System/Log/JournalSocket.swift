import CLinux
import Glibc

/// systemd-journald's native protocol: a datagram of fields for each line.
///
/// Any thread; a datagram is whole or not sent.
public final class JournalSocket: Sendable {
  /// Where journald listens.
  public static let path = "/run/systemd/journal/socket"

  /// Whether standard error leads to the journal: systemd's `JOURNAL_STREAM` names the stream's device and inode, and
  /// stays in the environment of programs whose output goes elsewhere.
  public static func hasStandardError(journalStream: String?) -> Bool {
    let numbers = (journalStream ?? "").split(separator: ":").map { UInt64($0) }
    guard numbers.count == 2, let device = numbers[0], let inode = numbers[1] else { return false }
    var status = stat()
    guard unsafe fstat(STDERR_FILENO, &status) == 0 else { return false }
    return UInt64(status.st_dev) == device && UInt64(status.st_ino) == inode
  }

  private let descriptor: Int32
  private let path: String

  /// A socket that sends to `path`; nil where there is no descriptor for it, or no room for the path.
  init?(path: String) {
    guard path.utf8.count <= Limits.unixPathBytes else { return nil }
    let type = SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
    descriptor = socket(AF_UNIX, Int32(type), 0)
    self.path = path
    guard descriptor >= 0 else { return nil }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Sends a line; false where the journal does not take it, or not now: a log never makes its program wait.
  func send(_ record: LogRecord) -> Bool {
    let bytes = Self.datagram(record)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
    let sent = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        // Named each time, since journald may have been restarted.
        unsafe sendto(
          descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), address,
          socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    return sent == bytes.count
  }

  static func datagram(_ record: LogRecord) -> [UInt8] {
    var bytes: [UInt8] = []
    let (message, fields) = record.bounded
    append("MESSAGE", LogLine.text(of: record.subsystem, message, fields), to: &bytes)
    append("PRIORITY", "\(priority(record.level))", to: &bytes)
    append("SYSLOG_IDENTIFIER", "belfry", to: &bytes)
    append("BELFRY_SUBSYSTEM", record.subsystem, to: &bytes)
    for (key, value) in fields { append(name(key), value, to: &bytes) }
    return bytes
  }

  /// syslog(3)'s.
  private static func priority(_ level: Log.Level) -> Int32 {
    switch level {
    case .error: LOG_ERR
    case .warning: LOG_WARNING
    case .info: LOG_INFO
    case .debug: LOG_DEBUG
    }
  }

  /// A field's name as the journal has them: `apnsID` is BELFRY_APNS_ID.
  private static func name(_ key: String) -> String {
    var name = "BELFRY_"
    var followsSmall = false
    for character in key {
      guard character.isASCII, character.isLetter || character.isNumber else {
        name += "_"
        continue
      }
      if character.isUppercase, followsSmall { name += "_" }
      name += character.uppercased()
      followsSmall = character.isLowercase
    }
    return String(name.prefix(nameBytesMax))
  }

  /// Bytes of a field's name that journald accepts.
  private static let nameBytesMax = 64

  private static func append(_ name: String, _ value: String, to bytes: inout [UInt8]) {
    bytes += name.utf8
    if value.utf8.contains(0x0A) {
      bytes.append(0x0A)
      let count = UInt64(value.utf8.count)
      for shift in stride(from: 0, to: 64, by: 8) {
        bytes.append(UInt8(truncatingIfNeeded: count >> UInt64(shift)))
      }
    } else {
      bytes.append(0x3D)
    }
    bytes += value.utf8
    bytes.append(0x0A)
  }
}
