public import System

/// The reason that a bus could not be created.
public enum MessageBusFailure: Error, CustomStringConvertible {
  /// A credential, certificate or key file cannot be read, or no thread can be started.
  case system(SystemFailure)
  /// The file `file` does not contain what it should, for the reason `why`.
  case invalidFile(file: String, why: String)
  /// A client certificate was given without its key, or a key without its certificate.
  case incompleteIdentity
  /// A certificate was given, but the address does not begin with `tls://`.
  case notSecure
  /// The client library is not installed.
  case noLibrary
  /// The client library rejects the options, or cannot connect, for the reason `why`.
  case library(why: String)

  /// A one-line message that says what is wrong and how to fix it.
  public var description: String {
    switch self {
    case .system(let failure): failure.description
    case .invalidFile(let file, let why): "cannot use \(file): \(why)"
    case .incompleteIdentity:
      "the client certificate is incomplete: specify both the certificate file and the key file"
    case .notSecure:
      "certificates have no effect on an unencrypted connection: use an address that begins with tls://"
    case .noLibrary:
      "libnats 3 is not installed: install it, for example with 'apt install libnats3.4' on Debian 12"
    case .library(let why): why
    }
  }
}
