import AppLink
import BelfryWire
import AppWire
import Foundation
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
  /// An app ID is used unchanged; any other name, in lowercase with hyphens, is appended to the shell's own ID. Letters
  /// and symbols that an ID cannot contain are replaced by their codes, so that different names have different IDs.
  init(subscription text: String) throws {
    name = text == Self.shell.id ? Self.shell.name : text
    if Self.isAppID(text) {
      id = text
      return
    }
    // The same letter, such as ü, can be written as one code point or as two.
    let composed = text.lowercased().precomposedStringWithCanonicalMapping
    var words: [String] = []
    for word in composed.split(whereSeparator: { !Self.isIDCharacter($0) && !Self.hasCode($0) }) {
      words.append(word.map { Self.text(of: $0) }.joined())
    }
    guard !words.isEmpty else {
      throw UsageError("invalid name '\(text)': use letters or digits, as in backups")
    }
    id = "\(Self.shell.id).\(words.joined(separator: "-"))"
    guard text.utf8.count <= Self.nameBytesMax, id.utf8.count <= WireLimits.appIDBytesMax else {
      throw UsageError("the name '\(text)' is too long: use a shorter name")
    }
  }

  private init(id: String, name: String) {
    self.id = id
    self.name = name
  }

  /// True for the shell's own app and for subscriptions under a name.
  var isOfShell: Bool { id == Self.shell.id || id.hasPrefix(Self.shell.id + ".") }

  /// Returns the app with the name that the agent knows, if the user specified the app by its ID.
  func keepingName(_ former: String?) -> ShellApp {
    guard let former, name.utf8.elementsEqual(id.utf8) else { return self }
    return ShellApp(id: id, name: former)
  }

  /// The maximum length of a name, in bytes; an app ID has at most 255.
  private static let nameBytesMax = 200

  private static func isIDCharacter(_ character: Character) -> Bool {
    character.isASCII
      && (character.isLetter || character.isNumber || character == "-" || character == "_")
  }

  /// Returns true if an ID contains the character's codes in place of the character.
  private static func hasCode(_ character: Character) -> Bool {
    !character.isASCII && (character.isLetter || character.isNumber || character.isSymbol)
  }

  /// Returns a character as an ID contains it: `_fc_` for `ü`.
  private static func text(of character: Character) -> String {
    guard hasCode(character) else { return String(character) }
    return character.unicodeScalars.map { "_" + String($0.value, radix: 16) }.joined() + "_"
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
