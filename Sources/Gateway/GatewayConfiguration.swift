public import BelfryWire
public import PostgresStorage
internal import Transport
public import WebPush

/// The options that an operator chooses; they are validated once and then passed by value.
public struct GatewayConfiguration: Sendable {
  /// The policy that determines which devices can enroll.
  public enum Enrollment: String, Sendable, CaseIterable {
    /// Any device can enroll.
    case open
    /// Only devices that know the gateway's code can enroll.
    case code
  }

  /// The policy that determines which apps exist.
  public enum Apps: String, Sendable, CaseIterable {
    /// Apps that an administrator adds or a device registers; a newly registered app belongs to the first team.
    case adopt
    /// Only apps that an administrator adds.
    case listed
  }

  /// The absolute path of the folder that contains keys, certificates, and the store.
  public var folder: String
  /// The address that every listener except the console's binds to.
  public var host = "127.0.0.1"
  /// The host names and addresses in the server certificate; if empty, the machine's own names and addresses.
  public var names: [String] = []
  /// The operator's own certificate and its key.
  public struct ServerCertificate: Sendable, Equatable {
    /// The absolute path of the certificate chain in PEM, starting with the server's certificate.
    public var chainFile: String
    /// The absolute path of the private key in PEM.
    public var keyFile: String

    /// Creates a certificate from these files.
    public init(chainFile: String, keyFile: String) {
      self.chainFile = chainFile
      self.keyFile = keyFile
    }
  }

  /// The certificate that is presented to providers that request one of its host names.
  public var serverCertificate: ServerCertificate?
  /// A file that contains the admin API's token; if nil, the token in the data folder is used.
  public var adminTokenFile: String?
  /// The paths of the secret files outside the data folder that the gateway reads.
  var secretFiles: [String] {
    [serverCertificate?.keyFile, cluster?.keyFile, cluster?.busCredentialsFile].compactMap(\.self)
  }
  /// The gateway's only environment: sandbox or production.
  public var environment = BelfryWire.Environment.sandbox
  /// The ports of the listeners.
  public var ports = GatewayPorts()
  /// The origin of the endpoints of Web Push subscriptions, such as `https://push.example.org`; `nil` for the name and
  /// the port of the Web Push service.
  public internal(set) var webPushOrigin: String?
  /// The form of the answers of the Web Push service.
  public var webPushDialect = WebPushDialect.rfc
  /// The policy that determines which devices can enroll.
  public var enrollment = Enrollment.code
  /// The maximum number of enrollments per minute with one code; `nil` for no limit.
  public var enrollmentsPerMinute: UInt32? = 10_000
  /// The policy that determines which apps exist.
  public var apps = Apps.adopt
  /// The number of file descriptors that the process can open, from which the connection limits are derived.
  public var descriptors = 1_024
  /// True to take over the TLS records of device connections from OpenSSL, so that idle connections use little memory.
  public var takesOverRecords = true
  /// True to use Belfry's own HTTP/2 codec for providers instead of nghttp2.
  public var usesOwnHTTP2 = false
  var http2Codec: HTTP2Codec { usesOwnHTTP2 ? .belfry : .nghttp2 }
  /// The maximum number of simultaneous connections to the console's port.
  public var consoleConnections: Int { connectionBounds.console }
  var connectionBounds: ConnectionBounds {
    ConnectionBounds(descriptors: descriptors, loops: loops)
  }
  /// The number of event loops.
  public var loops = 1
  /// The maximum number of pushes per second to one device token; `nil` for no limit.
  public var deviceRate: UInt32?
  /// The maximum number of pushes per second on one provider connection; `nil` for no limit.
  public var connectionRate: UInt32?
  /// The maximum number of pushes per second from one team; `nil` for no limit.
  public var teamRate: UInt32?
  /// The number of errors on a provider connection, in excess of its accepted requests, at which the gateway closes the
  /// connection; 0 for no limit.
  public var connectionErrorsMax: UInt32 {
    get { providerErrors.errors }
    set { providerErrors.errors = newValue }
  }
  /// The number of BadDeviceToken responses on a provider connection, in excess of its accepted requests, at which the
  /// gateway closes the connection; 0 for no limit.
  public var connectionBadTokensMax: UInt32 {
    get { providerErrors.badDeviceTokens }
    set { providerErrors.badDeviceTokens = newValue }
  }
  var providerErrors = ProviderErrorPolicy.Bounds()
  /// True to accept tokens that claim ES512 and are signed over SHA-512 with a P-256 key, as one client library creates
  /// them (apns-protocol 2.1).
  public var acceptsES512 = true
  /// The number of recent pushes whose payloads are retained in memory; 0 for none.
  public var loggedPayloads = 0
  /// The maximum value of ``loggedPayloads``.
  public static let loggedPayloadsMax = Limits.loggedPayloadsMax
  /// True to re-create missing or damaged files in the folder.
  public var recovers = false
  /// The place of the stores.
  public var store = StoreLocation.folder
  /// The cluster that the gateway is a node of; nil for a single gateway.
  public var cluster: ClusterOptions?

  /// Creates a configuration with the default options for a folder.
  public init(folder: String) { self.folder = folder }

  /// Returns true if a certificate can contain this name: an IP address, or a host name with only the characters that
  /// RFC 1123 allows.
  public static func isName(_ text: String) -> Bool {
    if let range = AddressRange(text) { return range.prefixBits == range.address.count * 8 }
    let labels = text.split(separator: ".", omittingEmptySubsequences: false)
    return text.utf8.count <= Limits.hostNameBytesMax
      && labels.allSatisfy { label in
        (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
          && label.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
      }
  }

  /// The host names of Apple's services, which the server certificate also contains.
  ///
  /// A client that can't be modified can therefore be redirected to this gateway (apns-protocol 1.1).
  public static let appleHostNames = [
    "api.push.apple.com", "api.sandbox.push.apple.com", "api.development.push.apple.com",
    "api-broadcast.sandbox.push.apple.com", "api-manage-broadcast.push.apple.com",
    "api-manage-broadcast.sandbox.push.apple.com", "gateway.push.apple.com",
    "gateway.sandbox.push.apple.com", "feedback.push.apple.com",
    "feedback.sandbox.push.apple.com",
  ]
}
