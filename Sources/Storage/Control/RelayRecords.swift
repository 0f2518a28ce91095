public import BelfryWire

/// The push service to which a gateway relays the pushes of an app, with the publisher's credentials.
public struct UpstreamRecord: Sendable, Hashable {
  /// The number of the app.
  public var app: UInt32
  /// The ID of the publisher's key, which is the `kid` of the tokens for the upstream.
  public var keyID: String  // text: an operator chose it
  /// The ID of the publisher's team, which is the `iss` of the tokens for the upstream.
  public var teamID: String  // text: an operator chose it
  /// The publisher's private key, encrypted by the gateway.
  public var sealedKey: [UInt8]
  /// The environment of the upstream.
  public var environment: Environment
  /// The host name or address of the upstream; empty for Apple's service.
  public var host: String  // text: an operator chose it
  /// The TCP port of the upstream.
  public var port: UInt16
  /// The certificate authority to trust, as PEM text; empty to trust the system's authorities.
  public var authorityPEM: [UInt8]
  /// The time of creation, in milliseconds since 1970.
  public var createdMilliseconds: Int64

  /// Creates an upstream from its parts.
  public init(
    app: UInt32, keyID: String, teamID: String, sealedKey: [UInt8], environment: Environment,
    host: String = "", port: UInt16 = 443, authorityPEM: [UInt8] = [], createdMilliseconds: Int64
  ) {
    self.app = app
    self.keyID = keyID
    self.teamID = teamID
    self.sealedKey = sealedKey
    self.environment = environment
    self.host = host
    self.port = port
    self.authorityPEM = authorityPEM
    self.createdMilliseconds = createdMilliseconds
  }
}

/// The limits on the pushes that a gateway relays for a sender's key, and the number that the key has used.
public struct BudgetRecord: Sendable, Hashable {
  /// The ID of the key.
  public var key: String  // text: an operator chose it
  /// The maximum number of relayed pushes per day, which begins at midnight UTC; nil for no limit.
  public var perDay: Int64?
  /// The maximum number of relayed pushes per second; nil for no limit.
  public var perSecond: UInt32?
  /// The day of the latest push, in days since 1970 (UTC).
  public var day: Int64
  /// The number of pushes that the key has used on that day.
  public var used: Int64

  /// Creates a budget from its parts.
  public init(
    key: String, perDay: Int64? = nil, perSecond: UInt32? = nil, day: Int64 = 0, used: Int64 = 0
  ) {
    self.key = key
    self.perDay = perDay
    self.perSecond = perSecond
    self.day = day
    self.used = used
  }
}
