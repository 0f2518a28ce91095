import COpenSSL

/// Process-wide settings of OpenSSL.
public enum OpenSSLLibrary {
  /// Prevents OpenSSL from freeing its memory when the process exits; has no effect once OpenSSL has been used.
  ///
  /// OpenSSL's cleanup runs concurrently with threads that still use it: about one command in a thousand crashed after
  /// it had finished its work.
  public static func keepAtExit() {
    let isKept = isKept
    assert(isKept, "OpenSSL starts")
  }

  private static let isKept = OPENSSL_init_ssl(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1
}
