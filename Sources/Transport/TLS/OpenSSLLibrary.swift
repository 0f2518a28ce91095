import COpenSSL

/// Process-wide settings of OpenSSL.
public enum OpenSSLLibrary {
  /// Prevents OpenSSL from freeing its memory when the process exits.
  ///
  /// OpenSSL's cleanup runs concurrently with threads that still use the memory. This race crashed about one command in
  /// a thousand after the command had finished its work. A call has no effect once OpenSSL has been used.
  public static func keepAtExit() {
    let isKept = isKept
    assert(isKept, "OpenSSL was initialized")
  }

  private static let isKept = OPENSSL_init_ssl(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1
}
