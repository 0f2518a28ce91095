import COpenSSL

/// OpenSSL as this process uses it.
public enum OpenSSLLibrary {
  /// Has OpenSSL leave its memory alone when the process ends; of no effect once it has been used.
  ///
  /// Its clean-up runs beside threads that still use it: one command in some thousand crashed after its work was done.
  public static func keepAtExit() {
    let isKept = isKept
    assert(isKept, "OpenSSL starts")
  }

  private static let isKept = OPENSSL_init_ssl(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1
}
