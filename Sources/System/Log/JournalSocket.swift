import CLinux
import Glibc

/// A socket for systemd-journald's native protocol, which sends the fields of each line in one datagram.
///
/// The socket can be used from any thread. A datagram is sent either as a whole or not at all.
public final class JournalSocket: Sendable {
  /// The path of journald's socket.
  public static let path = "/run/systemd/journal/socket"

  /// Returns true if standard error is connected to the journal.
  ///
  /// systemd's `JOURNAL_STREAM` contains the device and inode of the stream. The variable also remains in the
  /// environment of programs with redirected output.
  public static func hasStandardError(journalStream: String?) -> Bool {
    let numbers = (journalStream ?? "").split(separator: ":").map { UInt64($0) }
    guard numbers.count == 2, let device = numbers[0], let inode = numbers[1] else { return false }
    var status = stat()
    guard unsafe fstat(STDERR_FILENO, &status) == 0 else { return false }
    return UInt64(status.st_dev) == device && UInt64(status.st_ino) == inode
  }

  private let descriptor: Int32
  private let path: String

  /// Creates a socket that sends to `path`.
  ///
  /// Returns nil if no descriptor is available or the path is too long.
  init?(path: String) {
    guard path.utf8.count <= Limits.unixPathBytes else { return nil }
    let type = SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
    descriptor = socket(AF_UNIX, Int32(type), 0)
    self.path = path
    guard descriptor >= 0 else { return nil }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Sends a line.
  ///
  /// Returns false if the journal does not accept the line immediately: a log must not block its program.
  func send(_ record: LogRecord) -> Bool {
    let bytes = Self.datagram(record)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
    let sent = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        // Pass the address each time, because journald might have been restarted.
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

  /// Returns the priority that syslog(3) defines.
  private static func priority(_ level: Log.Level) -> Int32 {
    switch level {
    case .error: LOG_ERR
    case .warning: LOG_WARNING
    case .info: LOG_INFO
    case .debug: LOG_DEBUG
    }
  }

  /// Returns a field's name in the style of the journal: `apnsID` becomes BELFRY_APNS_ID.
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

  /// The maximum number of bytes in a field name that journald accepts.
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
