/// The instructions of the sign-in page.
package struct SignInInstructions: Sendable {
  /// The command that prints a URL that opens the console with a session; nil for a service without such a command.
  let command: String?
  /// The path of the file with the admin token.
  let tokenFile: String

  /// Creates the instructions for a gateway whose data is in `folder`.
  package init(folder: String, tokenFile: String) {
    command = "belfry console --data \(Self.quoted(folder))"
    self.tokenFile = tokenFile
  }

  /// Creates the instructions for a service whose console is opened only with the admin token.
  package init(tokenFile: String) {
    command = nil
    self.tokenFile = tokenFile
  }

  /// Returns a string quoted as one word of a shell command.
  private static func quoted(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { byte in
      switch byte {
      case 0x2B...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A: true
      default: false
      }
    }
    if isPlain, !text.isEmpty { return text }
    return "'\(text.replacing("'", with: #"'\''"#))'"
  }
}
