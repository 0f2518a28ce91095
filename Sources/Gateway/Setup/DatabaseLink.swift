import BelfryWire
import System

/// The link between a data folder and its database, which prevents a gateway from starting with the wrong pair.
///
/// The folder contains the keys that sealed the tokens in the database, so neither is useful without the other. Both
/// store the same random identifier.
struct DatabaseLink {
  /// The database's URL when the gateway last started.
  var url: String
  /// The identifier: 32 hexadecimal digits.
  var id: String

  /// The name of the file in the data folder.
  static let file = "database"

  /// Creates a link with a new identifier.
  init(url: String) {
    self.url = url
    id = Hexadecimal.encode(SystemRandom.bytes(16))
  }

  /// Reads the link of a folder; nil if the folder's stores are files in the folder.
  init?(of folder: GatewayFolder) throws(GatewayFolder.Failure) {
    guard let bytes = try folder.read(Self.file) else { return nil }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    guard lines.count == 2, Hexadecimal.decode(lines[1])?.count == 16 else {
      throw .damaged(file: folder.file(Self.file), "expected a URL and an identifier")
    }
    (url, id) = (lines[0], lines[1])
  }

  func write(to folder: GatewayFolder) throws(GatewayFolder.Failure) {
    try folder.write(Array("\(url)\n\(id)\n".utf8), Self.file)
  }
}
