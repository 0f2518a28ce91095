public import BelfryWire
public import PushWire
public import Transport

/// The environments in which a provider's key or certificate is valid.
public enum EnvironmentScope: UInt8, Sendable, Hashable, CaseIterable {
  /// Both environments, as for keys created before 2025 and for universal certificates.
  case both = 0
  case sandbox = 1
  case production = 2

  /// Creates the scope of one environment.
  public init(_ environment: Environment) {
    self = environment == .sandbox ? .sandbox : .production
  }

  /// The name in options and JSON lines.
  public var name: String {
    switch self {
    case .both: "both"
    case .sandbox: "sandbox"
    case .production: "production"
    }
  }

  /// Creates the scope called `name`.
  ///
  /// Returns nil for an unknown name.
  public init?(name: String) {
    guard let scope = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = scope
  }

  /// The only environment of the scope; nil if the scope includes both.
  public var only: Environment? {
    switch self {
    case .both: nil
    case .sandbox: .sandbox
    case .production: .production
    }
  }

  /// Returns true if the scope includes the environment.
  public func contains(_ environment: Environment) -> Bool {
    self == .both || self == EnvironmentScope(environment)
  }
}

/// A team, which owns apps and the keys that send to them.
public struct TeamRecord: Sendable, Hashable {
  /// The team's ID, which consists of 10 uppercase letters and digits and is the `iss` of provider tokens.
  public var id: String
  /// The name of the team, for display.
  public var name: String
  /// The time of creation, in milliseconds since 1970.
  public var createdMilliseconds: Int64

  /// Creates a team from its parts.
  public init(id: String, name: String, createdMilliseconds: Int64) {
    self.id = id
    self.name = name
    self.createdMilliseconds = createdMilliseconds
  }
}

/// The part of a provider's signing key that the gateway needs (apns-protocol.md 2.2).
public struct KeyRecord: Sendable, Hashable {
  /// The key's ID, which consists of 10 uppercase letters and digits and is the `kid` of provider tokens.
  public var id: String
  /// The ID of the key's team.
  public var team: String
  /// The public key, as SubjectPublicKeyInfo in DER.
  public var publicKeySPKI: [UInt8]
  /// The environments in which the key is valid.
  public var environments: EnvironmentScope
  /// The only topics to which the key can send; empty for all topics of the team.
  public var topics: [String]
  /// The only other key that is allowed on the same connection; nil for no other key.
  public var relatedKey: String?
  /// The time of creation in milliseconds since 1970.
  public var createdMilliseconds: Int64
  /// The time of revocation, in milliseconds since 1970; nil for a valid key.
  public var revokedMilliseconds: Int64?

  /// Creates a key from its parts.
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
  /// The serial number in lowercase hexadecimal.
  public var serial: String
  /// The ID of the certificate's team.
  public var team: String
  /// The bundle identifier of the certificate's app.
  public var bundleID: String
  /// The environments in which the certificate is valid.
  public var environments: EnvironmentScope
  /// True if the certificate lists its topics in an extension; false if it contains only the bundle identifier.
  public var isUniversal: Bool
  /// The time at which the certificate expires, in seconds since 1970.
  public var notAfter: Int64
  /// The time of creation in milliseconds since 1970.
  public var createdMilliseconds: Int64
  /// The time of revocation, in milliseconds since 1970; nil for a valid certificate.
  public var revokedMilliseconds: Int64?
  /// The name of the key that signed the certificate; nil for certificates that earlier releases issued.
  public var authority: String?

  /// Creates a certificate from its parts.
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

/// An app, for whose topics devices register.
public struct AppRecord: Sendable, Hashable {
  /// The app's number in device tokens, which is never reused for another app.
  public var number: UInt32
  /// The app's bundle identifier.
  public var bundleID: String
  /// The ID of the app's team.
  public var team: String
  /// The maximum number of undelivered notifications to store per token, retaining the newest; `.max` stores all.
  public var keep: UInt32
  /// True if channels can be created for the app.
  public var hasBroadcast: Bool
  /// The time of creation in milliseconds since 1970.
  public var createdMilliseconds: Int64
  /// The device on whose behalf the app was created; nil for an app that an administrator added.
  public var adopter: UInt64?

  /// Creates an app from its parts.
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
  /// The channel's identifier: 16 random bytes, which APNs shows in base64.
  public var id: [UInt8]
  /// The number of the app.
  public var app: UInt32
  /// True for `message-storage-policy` 1: the newest message is stored for disconnected devices.
  public var keepsLatest: Bool
  /// The time of creation in milliseconds since 1970.
  public var createdMilliseconds: Int64

  /// Creates a channel from its parts.
  public init(id: [UInt8], app: UInt32, keepsLatest: Bool, createdMilliseconds: Int64) {
    self.id = id
    self.app = app
    self.keepsLatest = keepsLatest
    self.createdMilliseconds = createdMilliseconds
  }
}

/// The newest message of a channel that stores its newest message.
public struct BroadcastRecord: Sendable, Hashable {
  /// The channel's 16 bytes.
  public var channel: [UInt8]
  /// The value of `apns-request-id`.
  public var requestID: NotificationID
  /// The value of `apns-unique-id`.
  public var uniqueID: NotificationID
  /// The expiration in seconds since 1970.
  public var expiration: Int64
  /// The priority: 10, 5, or 1.
  public var priority: UInt8
  /// The payload, byte for byte as the provider sent it.
  public var payload: [UInt8]
  /// The time of acceptance in milliseconds since 1970.
  public var acceptedMilliseconds: Int64

  /// Creates a message from its parts.
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
  /// The device's number, which is never reused for another device.
  public var number: UInt64
  /// The SHA-256 hash of the device's public key (SubjectPublicKeyInfo in DER).
  public var keyHash: SHA256.Digest
  /// The name of the device, for display; can be empty.
  public var name: String
  /// The time of enrollment in milliseconds since 1970.
  public var enrolledMilliseconds: Int64
  /// The time of revocation, in milliseconds since 1970; nil for a valid device.
  public var revokedMilliseconds: Int64?

  /// Creates a device from its parts.
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

/// A certificate that was issued to a device.
public struct DeviceCertificateRecord: Sendable, Hashable {
  /// The serial number in lowercase hexadecimal.
  public var serial: String
  /// The number of the device.
  public var device: UInt64
  /// The time at which the certificate expires, in seconds since 1970.
  public var notAfter: Int64
  /// The name of the key that signed the certificate; nil for certificates that earlier releases issued.
  public var authority: String?
  /// True if the device has presented the certificate on a connection.
  public var isShown: Bool

  /// Creates a certificate from its parts.
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

/// A registration of an app on a device, stored as plain numbers so that millions of registrations load quickly.
public struct RegistrationRecord: Sendable, Hashable {
  /// The state of a registration.
  public enum State: UInt8, Sendable, Hashable {
    /// The token is valid.
    case active = 1
    /// The token is valid, but the app currently does not receive notifications.
    case disabled = 2
    /// The token is inactive; the next token has the next generation.
    case unregistered = 3
  }

  /// The device, the app, and the token's kind.
  public var key: NotificationKey
  /// The generation of the registration's current token.
  public var generation: UInt16
  /// The state of the registration.
  public var state: State
  /// The time of the last change, in milliseconds since 1970, which the `Unregistered` response reports.
  public var changedMilliseconds: Int64

  /// Creates a registration from its parts.
  public init(
    key: NotificationKey, generation: UInt16, state: State, changedMilliseconds: Int64
  ) {
    self.key = key
    self.generation = generation
    self.state = state
    self.changedMilliseconds = changedMilliseconds
  }
}

/// A position among an app's inactive registrations, which are sorted by the time of the change, then by device.
public struct FeedbackCursor: Sendable, Hashable {
  /// The time of the change, in milliseconds since 1970.
  public var changedMilliseconds: Int64
  /// The number of the registration's device.
  public var device: UInt64

  /// Creates the position of a registration.
  public init(_ record: RegistrationRecord) {
    changedMilliseconds = record.changedMilliseconds
    device = record.key.device
  }

  /// Creates the position after all registrations that changed in this millisecond.
  public init(endOfMillisecond changedMilliseconds: Int64) {
    self.changedMilliseconds = changedMilliseconds
    device = UInt64(Int64.max)
  }
}

/// A device's subscription to a channel.
public struct SubscriptionRecord: Sendable, Hashable {
  /// The number of the subscribed device.
  public var device: UInt64
  /// The channel's 16 bytes.
  public var channel: [UInt8]
  /// The last stored message that the device acknowledged; nil if the device has not acknowledged any.
  public var received: NotificationID?

  /// Creates a subscription from its parts.
  public init(device: UInt64, channel: [UInt8], received: NotificationID? = nil) {
    self.device = device
    self.channel = channel
    self.received = received
  }
}
