import BelfryWire
import PushWire
import Gateway
import Transport

/// A provider connection without sockets, whose clock the test controls.
///
/// A vector's requests are processed by the gateway's own verifier, rules, and admission checks.
struct ClockedConnection: AdmissionContext {
  /// The keys of apns-protocol 9.1, generated once.
  final class Keys {
    let directory: CredentialDirectory
    private let signers: [String: (team: String, key: ES256PrivateKey)]
    private var made: [String: String] = [:]

    init() throws {
      let app: [UInt8] = Array("com.example.app".utf8)
      let other: [UInt8] = Array("com.example.other".utf8)
      let foreign: [UInt8] = Array("org.foreign.app".utf8)
      var signers: [String: (team: String, key: ES256PrivateKey)] = [:]
      var keys: [ProviderVerificationKey] = []
      func add(
        _ id: String, team: String = "TEAMAAAAAA",
        environments: Set<BelfryWire.Environment> = [.sandbox], topics: Set<[UInt8]>? = nil,
        related: String? = nil
      ) throws {
        let key = try ES256PrivateKey()
        signers[id] = (team, key)
        keys.append(
          ProviderVerificationKey(
            id: id, teamID: team, publicKey: key.publicKey, environments: environments,
            bundleIDs: topics, relatedKeyID: related))
      }
      try add("KEYBOTH001", environments: [.sandbox, .production])
      try add("KEYTMSBX01")
      try add("KEYTMPRD01", environments: [.production])
      try add("KEYTPSBX01", topics: [app])
      try add("KEYTPSBX02", topics: [other], related: "KEYTPSBX01")
      try add("KEYTPSBX03", topics: [other])
      try add("KEYFORGN01", team: "TEAMBBBBBB")
      self.signers = signers
      directory = CredentialDirectory(
        version: 1, keys: keys,
        apps: [
          App(number: 1, bundleID: app, teamID: "TEAMAAAAAA"),
          App(number: 2, bundleID: other, teamID: "TEAMAAAAAA"),
          App(number: 3, bundleID: foreign, teamID: "TEAMBBBBBB"),
        ])
    }

    /// Returns the token that a vector describes as `JWT:text`.
    ///
    /// Equal contents yield the same token.
    func token(_ text: String, atSeconds now: Int64, fixed: Int64) throws -> String {
      let parts = text.split(separator: ";")
      let id = String(parts[0])
      let issuedAt = parts.contains("iat=fixed") ? fixed : now
      let name = "\(id) \(issuedAt)"
      if let known = made[name] { return known }
      guard let signer = signers[id] else { throw VectorFailure("there is no key \(id)") }
      let header = Base64.encode(Array(#"{"alg":"ES256","kid":"\#(id)"}"#.utf8), url: true)
      let claims = Base64.encode(
        Array(#"{"iss":"\#(signer.team)","iat":\#(issuedAt)}"#.utf8), url: true)
      let signature = try signer.key.sign(Array("\(header).\(claims)".utf8))
      let token = "\(header).\(claims).\(Base64.encode(signature, url: true))"
      made[name] = token
      return token
    }
  }

  private let keys: Keys
  private let verifier: TokenVerifier
  private var credentials: ConnectionCredentials
  private let start: Int64
  /// The current time, in seconds since 1970.
  private(set) var now: Int64

  init(_ keys: Keys, environment: BelfryWire.Environment, start: Int64 = 1_700_000_000) {
    self.keys = keys
    self.start = start
    now = start
    verifier = TokenVerifier(directory: keys.directory)
    credentials = ConnectionCredentials(environment: environment)
  }

  mutating func pass(seconds: Int64) { now += seconds }

  mutating func credential(for request: borrowing PushRequest) -> Admission.Credential {
    switch verifier.verify(authorization: request.authorization.span) {
    case .refused(let rejection): return .refused(rejection)
    case .verified(let token):
      if let rejection = credentials.present(token, atSeconds: now) { return .refused(rejection) }
      return .accepted(.token(token))
    }
  }

  func app(bundleID: Span<UInt8>) -> App? { keys.directory.app(bundleID: bundleID) }

  /// Returns the contents of a token.
  ///
  /// The first byte of these tokens is the app's number.
  mutating func open(token: Span<UInt8>) -> TokenContents? {
    guard token.count == 32 else { return nil }
    return TokenContents(
      environment: .sandbox, kind: .alert, generation: 0, app: UInt32(token[0]), device: 1)
  }

  /// Sends a request with its placeholders filled in, and returns the rejection, or nil if the request is admitted.
  mutating func send(_ fields: [(name: String, value: String)], body: String) throws -> Rejection? {
    var request = PushRequest()
    for (name, value) in fields {
      let name = Array(name.utf8)
      let filled = Array(try fill(value).utf8)
      request.handleField(name: name.span, value: filled.span)
    }
    let bytes = Array(body.utf8)
    var context = self
    let decision = Admission.evaluate(
      request, body: bytes.span, bodyBytes: bytes.count, atSeconds: now, context: &context)
    self = context
    guard case .refused(let rejection) = decision else { return nil }
    return rejection
  }

  private func fill(_ value: String) throws -> String {
    var filled = ""
    var rest = value[...]
    while let open = rest.range(of: "${"), let close = rest[open.upperBound...].firstIndex(of: "}")
    {
      let name = String(rest[open.upperBound..<close])
      filled += rest[..<open.lowerBound]
      filled += try replacement(name)
      rest = rest[rest.index(after: close)...]
    }
    return filled + rest
  }

  private func replacement(_ name: String) throws -> String {
    let tail = String(repeating: "00", count: 31)
    switch name {
    case "TOK_A": return "01" + tail
    case "TOK_OTHER": return "02" + tail
    case "TOK_FOREIGN": return "03" + tail
    case "HOST": return "localhost"
    default:
      guard name.hasPrefix("JWT:") else { throw VectorFailure("\(name) is not known here") }
      return try keys.token(String(name.dropFirst(4)), atSeconds: now, fixed: start)
    }
  }
}

/// The error for a vector that this connection can't run.
struct VectorFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
