internal import System

/// The identifiers of teams and keys: 10 uppercase letters and digits (apns-protocol 2.1).
enum AppleIdentifier {
  private static let alphabet = Array("ABCDEFGHJKLMNPQRSTUVWXYZ0123456789")

  /// Returns a random identifier.
  static func make() -> String {
    var random = SystemRandom.Generator()
    return String((0..<10).compactMap { _ in alphabet.randomElement(using: &random) })
  }

  static func isWellFormed(_ text: String) -> Bool {
    text.utf8.count == 10
      && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
  }
}
