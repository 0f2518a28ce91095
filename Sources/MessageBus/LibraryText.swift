internal import CNATS

/// The library's error messages.
enum LibraryText {
  /// Returns the message of the error that a function of the library just returned on this thread.
  static func error(_ status: natsStatus) -> String {
    var last = NATS_OK
    let text = unsafe nats_GetLastError(&last)
    // The library keeps the message of an earlier error.
    return unsafe reason(status, last == status ? text : nil)
  }

  /// Returns the reason for a status; `text` is the library's message, if it has one.
  static func reason(_ status: natsStatus, _ text: UnsafePointer<CChar>?) -> String {
    switch status {
    case NATS_OK, NATS_CONNECTION_CLOSED, NATS_CONNECTION_DISCONNECTED:
      return "the server closed the connection"
    case NATS_STALE_CONNECTION: return "the server does not answer pings"
    case NATS_NO_SERVER: return "the server cannot be reached"
    case NATS_TIMEOUT: return "the server does not answer in time"
    case NATS_IO_ERROR: return "the connection failed"
    case NATS_SECURE_CONNECTION_WANTED: return "the server does not support TLS"
    default: break
    }
    let message = unsafe text.map { unsafe String(cString: $0) } ?? ""
    let line = message.split(whereSeparator: \.isNewline).joined(separator: "; ")
    if line.isEmpty {
      return unsafe natsStatus_GetText(status).map { unsafe String(cString: $0) } ?? "error"
    }
    // Some messages begin with a place in the library's source, such as `(conn.c:565): `.
    guard line.utf8.first == UInt8(ascii: "("), let end = line.firstRange(of: "): ") else {
      return line
    }
    return String(line[end.upperBound...])
  }
}
