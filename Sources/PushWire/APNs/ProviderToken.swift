internal import BelfryWire

/// A parsed provider token (JWT) whose signature is not verified yet (apns-protocol 2.1).
///
/// The parser accepts the variations that real clients send: segments in either base64 alphabet, padded or not; `iat`
/// as an integer, float, or numeric string; JSON with white space; fields that APNs does not define.
public struct ProviderToken: Sendable {
  /// The error for text that is not a provider token.
  public enum ParseFailure: Error, Equatable, Sendable {
    /// The text does not consist of three segments, or a segment is not a base64-encoded JSON object.
    case malformed
    /// `alg` is neither ES256 nor ES512.
    case algorithm
    /// `kid`, `iss`, or `iat` is missing or unusable.
    case missing
  }

  /// The signature algorithm, which `alg` specifies.
  ///
  /// A token without `alg` is treated as ES256.
  public enum Algorithm: Equatable, Sendable {
    /// ECDSA with SHA-256, the algorithm that APNs documents.
    case es256
    /// ECDSA with SHA-512, which one client library uses with its P-256 key (apns-protocol 2.1).
    case es512
  }

  /// The algorithm of the signature.
  public let algorithm: Algorithm
  /// The key ID (`kid`).
  public let keyID: String
  /// The team ID (`iss`).
  public let teamID: String
  /// The time at which the token was issued, in seconds since 1970 (`iat`).
  public let issuedAt: Int64
  /// The number of bytes at the start of the token that the signature covers.
  public let signedByteCount: Int
  /// The signature, either as 64 raw bytes or in DER.
  public let signature: [UInt8]

  /// Parses the text that follows the word `bearer`.
  public init(_ token: Span<UInt8>) throws(ParseFailure) {
    guard token.count <= WireLimits.authorizationBytesMax else { throw .malformed }
    var dots: [Int] = []
    for index in token.indices where token[index] == 0x2E { dots.append(index) }
    guard dots.count == 2,
      let header = Base64.decode(token.extracting(0..<dots[0])),
      let claims = Base64.decode(token.extracting((dots[0] + 1)..<dots[1])),
      let signature = Base64.decode(token.extracting((dots[1] + 1)..<token.count)),
      case .object(let headerFields)? = try? JSONValue(parsing: header),
      case .object(let claimFields)? = try? JSONValue(parsing: claims)
    else { throw .malformed }
    // Apple's own sample omits `alg`. In that case, the signature determines whether the token is valid (apns-protocol
    // 2.1).
    switch headerFields["alg"] {
    case nil, .string("ES256"): algorithm = .es256
    case .string("ES512"): algorithm = .es512
    default: throw .algorithm
    }
    guard case .string(let keyID)? = headerFields["kid"], !keyID.isEmpty,
      case .string(let teamID)? = claimFields["iss"], !teamID.isEmpty,
      let issuedAt = claimFields["iat"].flatMap(Self.seconds)
    else { throw .missing }
    // Both identifiers are lookup keys, and valid identifiers contain only ASCII characters.
    guard keyID.isASCII, teamID.isASCII else { throw .missing }
    self.keyID = keyID
    self.teamID = teamID
    self.issuedAt = issuedAt
    self.signedByteCount = dots[1]
    self.signature = signature
  }

  private static func seconds(_ value: JSONValue) -> Int64? {
    switch value {
    case .integer(let seconds): seconds
    case .double(let seconds): Int64(exactly: seconds.rounded(.down))
    case .string(let text):
      Int64(text) ?? Double(text).flatMap { Int64(exactly: $0.rounded(.down)) }
    default: nil
    }
  }

  /// Returns true if `iat` is at most one hour before or after `nowSeconds`.
  public func isFresh(atSeconds nowSeconds: Int64) -> Bool {
    Self.isFresh(issuedAt: issuedAt, atSeconds: nowSeconds)
  }

  /// Returns true if an `iat` that was parsed earlier is at most one hour before or after `nowSeconds`.
  public static func isFresh(issuedAt: Int64, atSeconds nowSeconds: Int64) -> Bool {
    let (age, overflow) = nowSeconds.subtractingReportingOverflow(issuedAt)
    return !overflow && age.magnitude <= WireLimits.providerTokenAgeSecondsMax.magnitude
  }

  /// Returns the offset of the token in an `authorization` value, or `nil` if the scheme or the token is missing.
  ///
  /// The word `bearer` can be in uppercase or lowercase.
  public static func start(in authorization: Span<UInt8>) -> Int? {
    guard authorization.count > 7, authorization[6] == 0x20,
      authorization.extracting(0..<6).equalsIgnoringCase("bearer")
    else { return nil }
    var start = 7
    while start < authorization.count, authorization[start] == 0x20 { start &+= 1 }
    return start < authorization.count ? start : nil
  }
}
