internal import COpenSSL

/// The current thread's queue of OpenSSL errors.
///
/// Empty the queue after every failed call. OpenSSL would otherwise mistake a remaining entry for the cause of a later
/// failure on the same thread, for example in TLS.
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

  /// Returns the failure of `operation`, and empties the queue.
  static func failure(_ operation: String) -> CryptoFailure {
    .library(operation: operation, reason: popReason())
  }
}
