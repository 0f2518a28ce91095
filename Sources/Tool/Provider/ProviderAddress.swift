import BelfryWire
import ProviderService
import System

/// The record of the admin token files of local services, by port.
///
/// With this record, the user's commands can find the admin token of a service at a local URL.
enum ProviderAddress {
  private static func file(port: UInt16) -> String {
    "\(StateFolders.state)/belfry/provider-ports/\(port)"
  }

  /// Records the token file that belongs to a port.
  static func remember(port: UInt16, adminTokenFile: String) throws {
    let path = file(port: port)
    try FileSystem.makeDirectories(FileSystem.parent(of: path))
    try FileSystem.write(Array((adminTokenFile + "\n").utf8), to: path, mode: 0o600)
  }

  /// Returns the folder of the service on a port, or nil if no token file was recorded.
  static func folder(port: UInt16) -> String? {
    guard let bytes = try? FileSystem.readRegularFile(file(port: port), limit: 4_096) else {
      return nil
    }
    return FileSystem.parent(of: String(decoding: bytes.filter { $0 != 0x0A }, as: UTF8.self))
  }

  /// Parses the address in `http://HOST:PORT`.
  ///
  /// Returns nil for anything else.
  static func socketAddress(ofURL url: String) -> SocketAddress? {
    guard url.hasPrefix("http://") else { return nil }
    let authority = url.dropFirst(7).prefix { $0 != "/" }
    guard let colon = authority.lastIndex(of: ":"), !authority.hasSuffix("]"),
      let port = UInt16(authority[authority.index(after: colon)...])
    else { return SocketAddress(host: named(String(authority)), port: 2_199) }
    return SocketAddress(host: named(String(authority[..<colon])), port: port)
  }

  private static func named(_ host: String) -> String { host == "localhost" ? "127.0.0.1" : host }
}
