internal import COpenSSL

/// OpenSSL's error queue of this thread.
///
/// Each failed call must empty it: what is left there would be taken for the cause of a later
/// failure on the same thread, in TLS for instance.
enum OpenSSLErrors {
  /// Empties the queue and answers the text of its first entry, which is the deepest cause.
  static func take() -> String {
    let code = ERR_get_error()
    ERR_clear_error()
    guard code != 0, let reason = unsafe ERR_reason_error_string(code) else {
      return "unknown reason"
    }
    return unsafe String(cString: reason)
  }

  /// The failure of `operation`, with the queue emptied.
  static func failure(_ operation: String) -> CryptoFailure {
    .library(operation: operation, reason: take())
  }
}
