import AppLink
import BelfryWire
import System

/// The app that a person's own shell is, where no other one is named.
struct ShellApp {
  let id: String
  /// What people see of it.
  let name: String

  /// The one for notifications from a shell.
  static let shell = ShellApp(id: "belfry.shell", name: "Shell")

  /// The one of a subscription: an app id as it is, any other name below the shell's own.
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
      throw UsageError("'\(text)' is no name: use one with letters or digits, such as backups")
    }
    id = "\(Self.shell.id).\(words.joined(separator: "-"))"
  }

  private init(id: String, name: String) {
    self.id = id
    self.name = name
  }

  /// Bytes of a name: an app id has 255 at most.
  private static let nameBytesMax = 200

  private static func isIDCharacter(_ character: Character) -> Bool {
    character.isASCII
      && (character.isLetter || character.isNumber || character == "-" || character == "_")
  }

  private static func isAppID(_ text: String) -> Bool {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count > 1 && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy(isIDCharacter) }
  }

  /// The greeting of this app.
  var hello: AppHello {
    var hello = AppHello(appID: id, isDevelopment: true, state: .background)
    hello.name = name
    return hello
  }

  /// Lets the agent know the app's name; without an agent, the next request fails and says so.
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
