internal import BelfryWire
internal import Transport

/// The keys of device tokens, the sealing one first.
public enum TokenKeys {
  /// The name by which people and the control store know a key: it tells nothing of the key itself.
  public static func name(of key: [UInt8]) -> String {
    Hexadecimal.encode(Array(SHA256.hash(Array("belfry token key ".utf8) + key).bytes.prefix(4)))
  }

  /// The file that holds them: one a line, hexadecimal.
  static func file(_ keys: [[UInt8]]) -> [UInt8] {
    precondition(!keys.isEmpty, "a gateway without a token key")
    return Array(keys.map { Hexadecimal.encode($0) + "\n" }.joined().utf8)
  }
}
