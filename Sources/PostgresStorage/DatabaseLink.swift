internal import BelfryWire
internal import System

/// The link between a data folder and its database, which prevents a service from starting with the wrong pair.
///
/// The folder contains the keys that sealed the tokens in the database, so neither is useful without the other. Both
/// store the same identifier.
public struct DatabaseLink: Sendable {
  /// The database's URL when the service last started.
  public var url: String
  /// The identifier: 32 hexadecimal digits.
  public var id: String

  /// The name of the file in the data folder.
  public static let file = "database"

  /// Creates a link with a new, random identifier.
  public init(url: String) { self.init(url: url, id: SystemRandom.bytes(Self.idBytes)) }

  /// Creates a link whose identifier has these 16 bytes.
  public init(url: String, id: [UInt8]) {
    assert(id.count == Self.idBytes, "an identifier has 16 bytes")
    self.url = url
    self.id = Hexadecimal.encode(id)
  }

  /// Reads a link from the contents of its file; nil if they do not consist of a URL and an identifier.
  public init?(contents: [UInt8]) {
    let lines = String(decoding: contents, as: UTF8.self).split(separator: "\n").map(String.init)
    guard lines.count == 2, Hexadecimal.decode(lines[1])?.count == Self.idBytes else { return nil }
    (url, id) = (lines[0], lines[1])
  }

  /// The contents of the file.
  public var contents: [UInt8] { Array("\(url)\n\(id)\n".utf8) }

  private static let idBytes = 16
}
