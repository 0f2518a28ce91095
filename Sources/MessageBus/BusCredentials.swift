internal import System

/// The content of a credential file.
enum BusCredentials {
  /// The file contains a token and a seed, which the library reads by itself.
  case token(file: String)
  case password(user: String, password: String)

  /// The line that begins the token in a `.creds` file.
  private static let tokenMark = "-----BEGIN NATS USER JWT-----"
  /// The line that begins the seed in a `.creds` file.
  private static let seedMark = "-----BEGIN USER NKEY SEED-----"

  /// Reads a file, and determines its format by its content.
  init(file: String) throws(MessageBusFailure) {
    let bytes: [UInt8]
    do throws(SystemFailure) {
      bytes = try FileSystem.readRegularFile(file, limit: Limits.fileBytes)
    } catch {
      throw .system(error)
    }
    var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0 }
    if lines.contains(where: { $0.elementsEqual(Self.tokenMark.utf8) }) {
      guard lines.contains(where: { $0.elementsEqual(Self.seedMark.utf8) }) else {
        throw .invalidFile(file: file, why: "the token has no seed: write both with nsc")
      }
      self = .token(file: file)
      return
    }
    // An editor ends the last line with a newline.
    if lines.last?.isEmpty == true { lines.removeLast() }
    let texts = lines.compactMap { line in
      // The library takes C strings.
      line.isEmpty || line.contains(0) ? nil : String(validating: line, as: UTF8.self)
    }
    guard lines.count == 2, texts.count == 2 else {
      throw .invalidFile(
        file: file,
        why: "expected a .creds file, or a file with the user in line 1 and the password in line 2")
    }
    self = .password(user: texts[0], password: texts[1])
  }
}
