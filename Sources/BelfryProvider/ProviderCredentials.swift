import BelfryWire
import Transport

/// The credentials of a sender.
public enum ProviderCredentials: Sendable {
  /// Provider tokens, which are generated and renewed with an ES256 key (apns-protocol 2.1).
  case token(ProviderKey)
  /// A TLS client certificate with its chain and private key (apns-protocol 2.3).
  case certificate(chainPEM: [UInt8], privateKeyPEM: [UInt8])
}

/// A team's ES256 key, in the format that Apple and `belfry key add` issue.
public struct ProviderKey: Sendable {
  /// The key's ID, which has 10 characters and is sent as the token's `kid`.
  public let keyID: String
  /// The team's ID, which has 10 characters and is sent as the token's `iss`.
  public let teamID: String
  private let key: ES256PrivateKey

  /// Creates a key from the text of a `.p8` file.
  public init(p8: [UInt8], keyID: String, teamID: String) throws(ProviderFailure) {
    // Both IDs are inserted into JSON strings, so do not allow characters that would require escaping.
    for (name, value) in [("key id", keyID), ("team id", teamID)] {
      guard !value.isEmpty, value.utf8.allSatisfy(Self.isIdentifierByte) else {
        throw .badCredentials("invalid \(name) '\(value)': expected letters and digits")
      }
    }
    do {
      self.key = try ES256PrivateKey(pkcs8PEM: p8)
    } catch {
      throw .badCredentials("the key is not an ES256 key in PKCS #8 format: \(error)")
    }
    self.keyID = keyID
    self.teamID = teamID
  }

  /// Returns a provider token issued at the given time, in seconds since 1970 (apns-protocol 2.1).
  public func token(issuedAt unixSeconds: Int64) throws(ProviderFailure) -> String {
    let header = #"{"alg":"ES256","kid":"\#(keyID)"}"#
    let claims = #"{"iss":"\#(teamID)","iat":\#(unixSeconds)}"#
    let signed = "\(Self.segment(header)).\(Self.segment(claims))"
    do {
      let signature = try key.sign(Array(signed.utf8))
      return "\(signed).\(Base64.encode(signature, url: true))"
    } catch {
      throw .badCredentials("the key cannot sign: \(error)")
    }
  }

  private static func segment(_ json: String) -> String {
    Base64.encode(Array(json.utf8), url: true)
  }

  private static func isIdentifierByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: false
    }
  }
}
