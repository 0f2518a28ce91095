import AppLink
import AppWire
import System

/// The app that represents the user's own shell, unless another app is specified.
struct ShellApp {
  let id: String
  /// The display name of the app.
  let name: String

  /// The app for notifications from a shell.
  static let shell = ShellApp(id: "belfry.shell", name: "Shell")

  /// Creates the app for a subscription.
  ///
  /// An app ID is used unchanged; any other name, in lowercase with hyphens, is appended to the shell's own ID.
  init(subscription text: String) throws {
    name = text
    if Self.isAppID(text) {
      id = text
      return
    }
    var words: [String] = []
    for word in text.lowercased().split(whereSeparator: { !Self.isIDCharacter($0) }) {
      words.append(String(word))
    }
    guard !words.isEmpty, text.utf8.count <= Self.nameBytesMax else {
      throw UsageError("invalid name '\(text)': use letters from a to z or digits, as in backups")
    }
    id = "\(Self.shell.id).\(words.joined(separator: "-"))"
  }

  private init(id: String, name: String) {
    self.id = id
    self.name = name
  }

  /// The maximum length of a name, in bytes; an app ID has at most 255.
  private static let nameBytesMax = 200

  private static func isIDCharacter(_ character: Character) -> Bool {
    character.isASCII
      && (character.isLetter || character.isNumber || character == "-" || character == "_")
  }

  private static func isAppID(_ text: String) -> Bool {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count > 1 && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy(isIDCharacter) }
  }

  /// The greeting that this app sends.
  var hello: AppHello {
    var hello = AppHello(appID: id, isDevelopment: true, state: .background)
    hello.name = name
    return hello
  }

  /// Sends the app's name to the agent.
  ///
  /// If no agent is running, the next request fails and reports the reason.
  func introduce(_ options: CommandLineOptions) {
    let connection = AppLinkConnection(
      socketPath: options.value("socket") ?? StateFolders.socket, reconnects: false,
      greetingMilliseconds: AgentControl.greetingMilliseconds(options),
      hello: { hello }, handler: { _ in })
    connection.start()
    defer { connection.close() }
    _ = try? connection.call(.settings, timeoutMilliseconds: 10_000)
  }
}
