/// One frame of the device link, taken apart (`docs/device-link.md` 4).
public enum LinkFrame: Equatable, Sendable {
  case hello(Hello)
  case welcome(Welcome)
  case enrol(Enrolment)
  /// The device's number and its certificate followed by the authority's, as PEM text.
  case enrolled(device: UInt64, chainPEM: [UInt8])
  case enrolRefused(LinkEnrolmentRefusal)
  case connect
  /// The device's number and the gateway's clock in milliseconds since 1970.
  case connected(device: UInt64, unixMilliseconds: UInt64)
  case ready
  /// Registers, unregisters, disables or enables an app's notifications of one kind.
  case topic(TopicVerb, request: UInt16, LinkTopic)
  /// The answer to a registration: the app's token, and the handle that notifications name.
  case token(request: UInt16, handle: UInt32, token: [UInt8])
  case refused(request: UInt16, LinkRefusal)
  case subscribe(request: UInt16, bundleID: String, channel: [UInt8])
  case unsubscribe(request: UInt16, bundleID: String, channel: [UInt8])
  case subscribed(request: UInt16, handle: UInt32)
  case done(request: UInt16)
  /// NOTIFICATION or BROADCAST.
  case notification(LinkNotification)
  /// All deliveries up to this one are persisted.
  case acknowledge(through: UInt32)
  /// One delivery was thrown away.
  case discard(delivery: UInt32, LinkDiscardReason)
  case state(DeviceState)
  case ping(UInt32)
  /// The echo of a ping, and (from the gateway; else 0) the keep-alive interval from now on.
  case pong(UInt32, intervalSeconds: UInt16)
  case reconnect(ReconnectHint)
  /// The gateway closes after this many milliseconds; the device acknowledges what is persisted.
  case draining(milliseconds: UInt32)
  /// The last frame: why, and the type of the frame at fault or 0.
  case close(LinkFault)
  /// The mark of the authorities that the gateway wants devices to trust (``LinkCredential/trustMark``).
  case trust(mark: [UInt8])
  /// The device wants another certificate for its key, and the authorities to trust.
  case renew(publicKey: [UInt8])
  case renewed(Renewed)
  /// Not now; the device asks again after so many seconds at the earliest.
  case renewalRefused(LinkEnrolmentRefusal, afterSeconds: UInt32)

  /// What a device says first.
  public struct Hello: Hashable, Sendable {
    /// The oldest version the device speaks.
    public var oldestVersion: UInt8
    /// The newest version the device speaks.
    public var newestVersion: UInt8
    /// The device's state.
    public var state: DeviceState
    /// Unacknowledged notifications that the device takes; never more than it can tell
    /// repetitions of.
    public var window: UInt16
    /// Seconds of the longest keep-alive interval that held on this network; 0: not known.
    public var provedSeconds: UInt16
    /// Seconds of the keep-alive interval at which the last link on this network was lost silently; 0 for none.
    public var failedSeconds: UInt16
    /// Whether the device renews its certificate: it is sent TRUST then.
    public var renews: Bool

    /// A greeting; the versions are those of this implementation.
    public init(
      state: DeviceState, window: UInt16, provedSeconds: UInt16 = 0, failedSeconds: UInt16 = 0,
      renews: Bool = false,
      versions: ClosedRange<UInt8> = LinkLimits.version...LinkLimits.version
    ) {
      self.renews = renews
      oldestVersion = versions.lowerBound
      newestVersion = versions.upperBound
      self.state = state
      self.window = window
      self.provedSeconds = provedSeconds
      self.failedSeconds = failedSeconds
    }
  }

  /// A gateway's answer to HELLO.
  public struct Welcome: Hashable, Sendable {
    /// The version spoken from here on.
    public var version: UInt8
    /// Bytes of a frame's body that the device may send.
    public var bodyBytesMax: UInt16
    /// Seconds of silence after which the device pings.
    public var intervalSeconds: UInt16
    /// What a device's proof of possession signs.
    public var nonce: NotificationID
    /// The gateway's environment; nil where it does not say.
    public var environment: Environment?

    /// A welcome in this implementation's version.
    public init(
      version: UInt8 = LinkLimits.version,
      bodyBytesMax: UInt16 = UInt16(LinkLimits.deviceBodyBytesMax),
      intervalSeconds: UInt16, nonce: NotificationID, environment: Environment? = nil
    ) {
      self.version = version
      self.bodyBytesMax = bodyBytesMax
      self.intervalSeconds = intervalSeconds
      self.nonce = nonce
      self.environment = environment
    }
  }

  /// A device's wish to join.
  public struct Enrolment: Hashable, Sendable {
    /// The device's public key as SubjectPublicKeyInfo in DER.
    public var publicKey: [UInt8]
    /// ECDSA over P-256 and SHA-256 of ``signedBytes(nonce:)``, as r ‖ s: 64 bytes.
    public var proof: [UInt8]
    /// The enrolment code; empty where the gateway is open.
    public var code: String
    /// The device's name for people; may be empty.
    public var name: String

    /// A wish to join; `proof` is filled in once the gateway's nonce is known.
    public init(publicKey: [UInt8], proof: [UInt8], code: String, name: String) {
      self.publicKey = publicKey
      self.proof = proof
      self.code = code
      self.name = name
    }

    /// What the proof signs: a label, the gateway's nonce and every other field.
    public func signedBytes(nonce: NotificationID) -> [UInt8] {
      var bytes = Array("belfry-link/1 enrol\0".utf8)
      for half in [nonce.high, nonce.low] {
        for shift in stride(from: 56, through: 0, by: -8) {
          bytes.append(UInt8(truncatingIfNeeded: half >> UInt64(shift)))
        }
      }
      for field in [publicKey, Array(code.utf8), Array(name.utf8)] {
        bytes.append(UInt8(truncatingIfNeeded: field.count >> 8))
        bytes.append(UInt8(truncatingIfNeeded: field.count))
        bytes.append(contentsOf: field)
      }
      return bytes
    }
  }

  /// What a device asks about one app's notifications of one kind.
  public enum TopicVerb: UInt8, CaseIterable, Sendable {
    case register = 0x10
    case unregister = 0x13
    case disable = 0x14
    case enable = 0x15
  }

  /// When and where to reconnect.
  public struct ReconnectHint: Hashable, Sendable {
    /// Milliseconds to wait at least.
    public var afterMilliseconds: UInt32
    /// Milliseconds that a device adds, each device a random part of them.
    public var jitterMilliseconds: UInt32
    /// Another host; empty for the same one.
    public var host: String
    /// The other host's port; 0 for the same one.
    public var port: UInt16

    /// A hint.
    public init(
      afterMilliseconds: UInt32, jitterMilliseconds: UInt32, host: String = "", port: UInt16 = 0
    ) {
      self.afterMilliseconds = afterMilliseconds
      self.jitterMilliseconds = jitterMilliseconds
      self.host = host
      self.port = port
    }
  }
}

/// An app's notifications of one kind: what a device registers.
public struct LinkTopic: Hashable, Sendable {
  /// The app's bundle identifier.
  public let bundleID: String
  /// The kind of token.
  public let kind: TokenKind

  /// The `kind` of `bundleID`.
  public init(bundleID: String, kind: TokenKind = .alert) {
    self.bundleID = bundleID
    self.kind = kind
  }
}
