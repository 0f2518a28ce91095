internal import BelfryWire
internal import Transport

/// The names and the file format of the keys that seal device tokens.
public enum TokenKeys {
  /// Returns the name that identifies a key in the user interface and in the control store; the name reveals nothing
  /// about the key itself.
  public static func name(of key: [UInt8]) -> String {
    Hexadecimal.encode(Array(SHA256.hash(Array("belfry token key ".utf8) + key).bytes.prefix(4)))
  }

  /// Returns the contents of the key file: one key per line, in hexadecimal.
  static func file(_ keys: [[UInt8]]) -> [UInt8] {
    precondition(!keys.isEmpty, "a gateway has at least one token key")
    return Array(keys.map { Hexadecimal.encode($0) + "\n" }.joined().utf8)
  }
}
