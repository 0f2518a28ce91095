public import BelfryWire

/// A decoded frame of the device link (`docs/device-link.md` 4).
public enum LinkFrame: Equatable, Sendable {
  case hello(Hello)
  case welcome(Welcome)
  case enroll(Enrollment)
  /// The device's number, followed by its certificate and the authority's certificate as PEM text.
  case enrolled(device: UInt64, chainPEM: [UInt8])
  case enrollRefused(LinkEnrollmentRefusal)
  case connect
  /// The device's number, and the time on the gateway's clock in milliseconds since 1970.
  case connected(device: UInt64, unixMilliseconds: UInt64)
  case ready
  /// Registers, unregisters, disables or enables an app's notifications of one kind.
  case topic(TopicVerb, request: UInt16, LinkTopic)
  /// The answer to a registration: the app's token, and the handle that notifications refer to.
  case token(request: UInt16, handle: UInt32, token: [UInt8])
  case refused(request: UInt16, LinkRefusal)
  case subscribe(request: UInt16, bundleID: String, channel: [UInt8])
  case unsubscribe(request: UInt16, bundleID: String, channel: [UInt8])
  case subscribed(request: UInt16, handle: UInt32)
  case done(request: UInt16)
  /// A notification or a broadcast (NOTIFICATION or BROADCAST).
  case notification(LinkNotification)
  /// The device's acknowledgment that it has persisted all deliveries up to this number.
  case acknowledge(through: UInt32)
  /// A report that the device discarded a delivery.
  case discard(delivery: UInt32, LinkDiscardReason)
  case state(DeviceState)
  case ping(UInt32)
  /// The answer to a ping, which repeats the ping's number.
  ///
  /// A pong from the gateway also contains the new keep-alive interval. In a pong from the device, the interval is 0.
  case pong(UInt32, intervalSeconds: UInt16)
  case reconnect(ReconnectHint)
  /// An announcement that the gateway will close the link after this many milliseconds.
  ///
  /// The device acknowledges its persisted notifications before it disconnects.
  case draining(milliseconds: UInt32)
  /// The last frame of a link: the reason, and the type of the frame at fault (0 if none).
  case close(LinkFault)
  /// The hash of the authorities that the gateway wants devices to trust (``LinkCredential/trustMark``).
  case trust(mark: [UInt8])
  /// A request for the authorities that the device must trust, and for a new certificate for the device's key.
  case renew(publicKey: [UInt8])
  case renewed(Renewed)
  /// A temporary refusal; the device must wait at least this many seconds before it repeats the request.
  case renewalRefused(LinkEnrollmentRefusal, afterSeconds: UInt32)

  /// The content of HELLO, the device's first message.
  public struct Hello: Hashable, Sendable {
    /// The oldest version that the device supports.
    public var oldestVersion: UInt8
    /// The newest version that the device supports.
    public var newestVersion: UInt8
    /// The device's current state.
    public var state: DeviceState
    /// The maximum number of unacknowledged notifications that the device accepts.
    ///
    /// The device remembers at least this many IDs to detect duplicates.
    public var window: UInt16
    /// The longest keep-alive interval in seconds that worked on this network; 0 if unknown.
    public var provedSeconds: UInt16
    /// The keep-alive interval, in seconds, that was in use when the last link on this network was silently lost; 0 if
    /// no link was lost this way.
    public var failedSeconds: UInt16
    /// True if the device renews its certificate.
    ///
    /// If true, the gateway sends TRUST.
    public var renews: Bool

    /// Creates a greeting that, by default, contains the versions that this implementation supports.
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

  /// The content of WELCOME, the gateway's answer to HELLO.
  public struct Welcome: Hashable, Sendable {
    /// The protocol version that applies to the rest of the connection.
    public var version: UInt8
    /// The maximum size of a frame body that the device can send, in bytes.
    public var bodyBytesMax: UInt16
    /// The number of seconds of silence after which the device sends a ping.
    public var intervalSeconds: UInt16
    /// The nonce that the device includes in the data it signs as its proof of possession.
    public var nonce: NotificationID
    /// The gateway's environment; nil if the gateway does not announce its environment.
    public var environment: Environment?
    /// The origin of the endpoints of Web Push subscriptions, such as `https://push.example.org`; empty if the gateway
    /// does not have a Web Push service.
    public var webPushOrigin: String  // text: an operator chose it

    /// Creates an answer with the version of this implementation.
    public init(
      version: UInt8 = LinkLimits.version,
      bodyBytesMax: UInt16 = UInt16(LinkLimits.deviceBodyBytesMax),
      intervalSeconds: UInt16, nonce: NotificationID, environment: Environment? = nil,
      webPushOrigin: String = ""
    ) {
      self.webPushOrigin = webPushOrigin
      self.version = version
      self.bodyBytesMax = bodyBytesMax
      self.intervalSeconds = intervalSeconds
      self.nonce = nonce
      self.environment = environment
    }
  }

  /// The content of ENROL, a device's request to enroll.
  public struct Enrollment: Hashable, Sendable {
    /// The device's public key as SubjectPublicKeyInfo in DER.
    public var publicKey: [UInt8]
    /// The ECDSA signature (P-256, SHA-256) of ``signedBytes(nonce:)``, as r ‖ s: 64 bytes.
    public var proof: [UInt8]
    /// The enrollment code; empty if the gateway does not require one.
    public var code: String
    /// The device's display name, which can be empty.
    public var name: String

    /// Creates a request to enroll.
    ///
    /// Set `proof` when the gateway's nonce is known.
    public init(publicKey: [UInt8], proof: [UInt8], code: String, name: String) {
      self.publicKey = publicKey
      self.proof = proof
      self.code = code
      self.name = name
    }

    /// Returns the bytes that the proof signs: a label, the gateway's nonce, and every other field.
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

  /// The action that a device requests for an app's notifications of one kind.
  public enum TopicVerb: UInt8, CaseIterable, Sendable {
    case register = 0x10
    case unregister = 0x13
    case disable = 0x14
    case enable = 0x15
  }

  /// Instructions about when and where to reconnect.
  public struct ReconnectHint: Hashable, Sendable {
    /// The shortest wait in milliseconds.
    public var afterMilliseconds: UInt32
    /// The maximum random delay, in milliseconds, that each device adds.
    public var jitterMilliseconds: UInt32
    /// The name of another host; empty for the same host.
    public var host: String
    /// The other host's port; 0 for the same port.
    public var port: UInt16

    /// Creates a hint from its parts.
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

/// A topic that a device registers: an app's notifications of one kind.
public struct LinkTopic: Hashable, Sendable {
  /// The app's bundle identifier.
  public let bundleID: String
  /// The kind of token.
  public let kind: TokenKind

  /// Creates the topic for one kind of an app's notifications.
  public init(bundleID: String, kind: TokenKind = .alert) {
    self.bundleID = bundleID
    self.kind = kind
  }
}
