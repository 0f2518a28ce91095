import System
import WebPush

/// `belfry web-push`: sends Web Push messages, creates the keys of senders, and lists a provider's subscriptions.
enum WebPushCommand {
  static let tables = [keysTable, WebPushSendCommand.table, WebPushListCommand.table]

  private static let verbs = "keys, send or list"

  static func run(_ arguments: [String]) -> Int32 {
    let rest = Array(arguments.dropFirst())
    switch arguments.first {
    case "keys": return keys(rest)
    case "send": return WebPushSendCommand.run(rest)
    case "list": return WebPushListCommand.run(rest)
    case "--help":
      Output.help(tables)
      return 0
    case let word:
      Output.error(
        word.map { "unknown command 'belfry web-push \($0)'" } ?? "missing command",
        do: "use \(verbs)")
      return 2
    }
  }

  // MARK: Keys

  static let keysTable = OptionTable(
    command: "belfry web-push keys",
    summary: """
      Creates a VAPID key, which identifies the sender of Web Push messages, and prints its public key in base64url. A
      page or an app passes the public key when it subscribes. If the file already contains a key, the command only
      prints the public key, and leaves the file unchanged.
      """,
    [
      .value(
        "out", "FILE", default: "vapid.pem", "the file with the private key, in PEM with mode 0600")
    ])

  private static let defaultFile = "vapid.pem"

  private static func keys(_ arguments: [String]) -> Int32 {
    keysTable.run(arguments) { options in
      let path = FileSystem.absolute(options.value("out") ?? defaultFile)
      let key: VAPIDKey
      // A script may have created an empty file, for example with mktemp.
      if (FileSystem.byteCount(of: path) ?? 0) > 0 {
        key = try readKey(path)
      } else {
        key = try VAPIDKey()
        try FileSystem.write(key.pem(), to: path, mode: 0o600)
      }
      Output.line(key.publicKey.text)
      return 0
    }
  }

  /// Reads a sender's key from a file.
  static func readKey(_ path: String) throws -> VAPIDKey {
    let bytes = try FileSystem.read(path, limit: fileBytesMax)
    do throws(VAPIDKey.Failure) {
      return try VAPIDKey(contentsOfFile: bytes)
    } catch {
      throw WebPushFileFailure(path: path, reason: "\(error)")
    }
  }

  /// The maximum size, in bytes, of a key, a subscription, or a certificate authority.
  static let fileBytesMax = 262_144
}

/// The error for a file with a key or a subscription that cannot be used.
struct WebPushFileFailure: Error, CustomStringConvertible {
  let path: String
  /// The problem and the advice.
  let reason: String

  var description: String { "cannot use \(path): \(reason)" }
}
