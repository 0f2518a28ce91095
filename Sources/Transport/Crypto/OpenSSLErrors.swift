internal import COpenSSL

/// OpenSSL's error queue of this thread.
///
/// Each failed call must empty it: an entry that stays would be taken for the cause of a later
/// failure on the same thread, in TLS for instance.
enum OpenSSLErrors {
  /// Empties the queue and returns the text of its first entry, which is the deepest cause.
  static func popReason() -> String {
    let code = ERR_get_error()
    ERR_clear_error()
    guard code != 0, let reason = unsafe ERR_reason_error_string(code) else {
      return "unknown reason"
    }
    return unsafe String(cString: reason)
  }

  /// The failure of `operation`, with the queue emptied.
  static func failure(_ operation: String) -> CryptoFailure {
    .library(operation: operation, reason: popReason())
  }
}
