import PostgresStorage

extension DatabaseLink {
  /// Reads the link of a folder; nil if the folder's stores are files in the folder.
  init?(of folder: GatewayFolder) throws(GatewayFolder.Failure) {
    guard let bytes = try folder.read(Self.file) else { return nil }
    guard let link = DatabaseLink(contents: bytes) else {
      throw .damaged(file: folder.file(Self.file), "expected a URL and an identifier")
    }
    self = link
  }

  func write(to folder: GatewayFolder) throws(GatewayFolder.Failure) {
    try folder.write(contents, Self.file)
  }
}
