public import BelfryWire
public import Transport

/// Where a provider's key or certificate is good.
public enum EnvironmentScope: UInt8, Sendable, Hashable, CaseIterable {
  /// Both environments, as keys made before 2025 and universal certificates are.
  case both = 0
  case sandbox = 1
  case production = 2

  /// The scope of one environment.
  public init(_ environment: Environment) {
    self = environment == .sandbox ? .sandbox : .production
  }

  /// The word in options and JSON lines.
  public var name: String {
    switch self {
    case .both: "both"
    case .sandbox: "sandbox"
    case .production: "production"
    }
  }

  /// The scope that `name` names.
  public init?(name: String) {
    guard let scope = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = scope
  }

  /// Whether it is good there.
  public func contains(_ environment: Environment) -> Bool {
    self == .both || self == EnvironmentScope(environment)
  }
}

/// A team: who owns apps and the keys that send to them.
public struct TeamRecord: Sendable, Hashable {
  /// 10 upper-case letters and digits, `iss` of provider tokens.
  public var id: String
  /// For people.
  public var name: String
  /// Milliseconds since 1970.
  public var createdMilliseconds: Int64

  /// A team from its parts.
  public init(id: String, name: String, createdMilliseconds: Int64) {
    self.id = id
    self.name = name
    self.createdMilliseconds = createdMilliseconds
  }
}

/// A provider's signing key, as far as the gateway has to know it (apns-protocol.md 2.2).
public struct KeyRecord: Sendable, Hashable {
  /// 10 upper-case letters and digits, `kid` of provider tokens.
  public var id: String
  /// The team's id.
  public var team: String
  /// The public half, SubjectPublicKeyInfo in DER.
  public var publicKeySPKI: [UInt8]
  /// Where it is good.
  public var environments: EnvironmentScope
  /// The only topics that it may send to; empty: all of the team's.
  public var topics: [String]
  /// The one other key that may be used on the same connection.
  public var relatedKey: String?
  /// Milliseconds since 1970.
  public var createdMilliseconds: Int64
  /// Milliseconds since 1970; nil: good.
  public var revokedMilliseconds: Int64?

  /// A key from its parts.
  public init(
    id: String, team: String, publicKeySPKI: [UInt8], environments: EnvironmentScope = .both,
    topics: [String] = [], relatedKey: String? = nil, createdMilliseconds: Int64,
    revokedMilliseconds: Int64? = nil
  ) {
    self.id = id
    self.team = team
    self.publicKeySPKI = publicKeySPKI
    self.environments = environments
    self.topics = topics
    self.relatedKey = relatedKey
    self.createdMilliseconds = createdMilliseconds
    self.revokedMilliseconds = revokedMilliseconds
  }
}

/// A provider's TLS certificate (apns-protocol.md 2.3).
public struct CertificateRecord: Sendable, Hashable {
  /// The serial number in lower-case hexadecimal.
  public var serial: String
  /// The team's id.
  public var team: String
  /// The bundle identifier.
  public var bundleID: String
  /// Where it is good.
  public var environments: EnvironmentScope
  /// Whether it lists its topics in an extension, or has the bundle identifier alone.
  public var isUniversal: Bool
  /// When it expires, seconds since 1970.
  public var notAfter: Int64
  /// Milliseconds since 1970.
  public var createdMilliseconds: Int64
  /// Milliseconds since 1970; nil: good.
  public var revokedMilliseconds: Int64?
  /// The name of the key that signed it; nil of former releases.
  public var authority: String?

  /// A certificate from its parts.
  public init(
    serial: String, team: String, bundleID: String, environments: EnvironmentScope,
    isUniversal: Bool, notAfter: Int64, createdMilliseconds: Int64,
    revokedMilliseconds: Int64? = nil, authority: String? = nil
  ) {
    self.authority = authority
    self.serial = serial
    self.team = team
    self.bundleID = bundleID
    self.environments = environments
    self.isUniversal = isUniversal
    self.notAfter = notAfter
    self.createdMilliseconds = createdMilliseconds
    self.revokedMilliseconds = revokedMilliseconds
  }
}

/// An app: a topic that devices register for.
public struct AppRecord: Sendable, Hashable {
  /// Its number in device tokens, never used again for another app.
  public var number: UInt32
  /// Its bundle identifier.
  public var bundleID: String
  /// The team's id.
  public var team: String
  /// How many undelivered notifications a token keeps, the newest; `.max`: all.
  public var keep: UInt32
  /// Whether channels may be made for it.
  public var hasBroadcast: Bool
  /// Milliseconds since 1970.
  public var createdMilliseconds: Int64
  /// The device for which it was adopted; nil for an app that an administrator added.
  public var adopter: UInt64?

  /// An app from its parts.
  public init(
    number: UInt32, bundleID: String, team: String, keep: UInt32 = 1, hasBroadcast: Bool = false,
    createdMilliseconds: Int64, adopter: UInt64? = nil
  ) {
    self.adopter = adopter
    self.number = number
    self.bundleID = bundleID
    self.team = team
    self.keep = keep
    self.hasBroadcast = hasBroadcast
    self.createdMilliseconds = createdMilliseconds
  }
}

/// A channel of an app (apns-protocol.md section 5).
public struct ChannelRecord: Sendable, Hashable {
  /// 16 random bytes; APNs shows them in base64.
  public var id: [UInt8]
  /// The app's number.
  public var app: UInt32
  /// `message-storage-policy` 1: its newest message waits for devices that are away.
  public var keepsLatest: Bool
  /// Milliseconds since 1970.
  public var createdMilliseconds: Int64

  /// A channel from its parts.
  public init(id: [UInt8], app: UInt32, keepsLatest: Bool, createdMilliseconds: Int64) {
    self.id = id
    self.app = app
    self.keepsLatest = keepsLatest
    self.createdMilliseconds = createdMilliseconds
  }
}

/// The newest message of a channel that keeps it.
public struct BroadcastRecord: Sendable, Hashable {
  /// The channel's 16 bytes.
  public var channel: [UInt8]
  /// `apns-request-id`.
  public var requestID: NotificationID
  /// `apns-unique-id`.
  public var uniqueID: NotificationID
  /// Seconds since 1970.
  public var expiration: Int64
  /// 10, 5 or 1.
  public var priority: UInt8
  /// The provider's bytes.
  public var payload: [UInt8]
  /// Milliseconds since 1970.
  public var acceptedMilliseconds: Int64

  /// A message from its parts.
  public init(
    channel: [UInt8], requestID: NotificationID, uniqueID: NotificationID, expiration: Int64,
    priority: UInt8, payload: [UInt8], acceptedMilliseconds: Int64
  ) {
    self.channel = channel
    self.requestID = requestID
    self.uniqueID = uniqueID
    self.expiration = expiration
    self.priority = priority
    self.payload = payload
    self.acceptedMilliseconds = acceptedMilliseconds
  }
}

/// A device that has enrolled.
public struct DeviceRecord: Sendable, Hashable {
  /// Its number, never used again for another device.
  public var number: UInt64
  /// SHA-256 of its public key (SubjectPublicKeyInfo in DER).
  public var keyHash: SHA256.Digest
  /// For people; may be empty.
  public var name: String
  /// Milliseconds since 1970.
  public var enrolledMilliseconds: Int64
  /// Milliseconds since 1970; nil: good.
  public var revokedMilliseconds: Int64?

  /// A device from its parts.
  public init(
    number: UInt64, keyHash: SHA256.Digest, name: String, enrolledMilliseconds: Int64,
    revokedMilliseconds: Int64? = nil
  ) {
    self.number = number
    self.keyHash = keyHash
    self.name = name
    self.enrolledMilliseconds = enrolledMilliseconds
    self.revokedMilliseconds = revokedMilliseconds
  }
}

/// A certificate that a device was given.
public struct DeviceCertificateRecord: Sendable, Hashable {
  /// The serial number in lower-case hexadecimal.
  public var serial: String
  /// The device's number.
  public var device: UInt64
  /// When it expires, seconds since 1970.
  public var notAfter: Int64
  /// The name of the key that signed it; nil of former releases.
  public var authority: String?
  /// Whether the device has connected with it.
  public var isShown: Bool

  /// A certificate from its parts.
  public init(
    serial: String, device: UInt64, notAfter: Int64, authority: String? = nil,
    isShown: Bool = false
  ) {
    self.authority = authority
    self.isShown = isShown
    self.serial = serial
    self.device = device
    self.notAfter = notAfter
  }
}

/// What a device's app has registered: plain numbers, so that millions load fast.
public struct RegistrationRecord: Sendable, Hashable {
  /// What became of a registration.
  public enum State: UInt8, Sendable, Hashable {
    /// Its token is good.
    case active = 1
    /// Its token is good, and the app receives nothing for now.
    case disabled = 2
    /// Its token is inactive; the next one has the next generation.
    case unregistered = 3
  }

  /// The device, the app and the token's kind.
  public var key: NotificationKey
  /// The generation that good tokens have.
  public var generation: UInt16
  /// Whether its token is good.
  public var state: State
  /// Milliseconds since 1970: the time that `Unregistered` tells.
  public var changedMilliseconds: Int64

  /// A registration from its parts.
  public init(
    key: NotificationKey, generation: UInt16, state: State, changedMilliseconds: Int64
  ) {
    self.key = key
    self.generation = generation
    self.state = state
    self.changedMilliseconds = changedMilliseconds
  }
}

/// A place in the order of an app's inactive registrations: by the time of the change, then by device.
public struct UnregisteredPlace: Sendable, Hashable {
  /// Milliseconds since 1970.
  public var changedMilliseconds: Int64
  /// The device's number.
  public var device: UInt64

  /// The place of a registration.
  public init(_ record: RegistrationRecord) {
    changedMilliseconds = record.changedMilliseconds
    device = record.key.device
  }

  /// The place after every registration of that millisecond.
  public init(endOfMillisecond changedMilliseconds: Int64) {
    self.changedMilliseconds = changedMilliseconds
    device = UInt64(Int64.max)
  }
}

/// A device's subscription to a channel.
public struct SubscriptionRecord: Sendable, Hashable {
  /// The device's number.
  public var device: UInt64
  /// The channel's 16 bytes.
  public var channel: [UInt8]
  /// The last kept message that the device acknowledged; nil: none.
  public var received: NotificationID?

  /// A subscription from its parts.
  public init(device: UInt64, channel: [UInt8], received: NotificationID? = nil) {
    self.device = device
    self.channel = channel
    self.received = received
  }
}
