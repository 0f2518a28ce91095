public import BelfryWire
internal import Transport

/// Everything that an operator chooses; validated once, passed down by value.
public struct GatewayConfiguration: Sendable {
  /// Who may enrol.
  public enum Enrolment: String, Sendable, CaseIterable {
    /// Every device.
    case open
    /// Devices that know the gateway's code.
    case code
  }

  /// Which apps exist.
  public enum Apps: String, Sendable, CaseIterable {
    /// Apps that were added, and any that a device registers; the latter belong to the first team.
    case adopt
    /// Only those that were added.
    case listed
  }

  /// The folder of keys, certificates and store; absolute.
  public var folder: String
  /// The address of every listener but the console's.
  public var host = "127.0.0.1"
  /// Host names and addresses that the server certificate names; empty: the machine's own.
  public var names: [String] = []
  /// A certificate of the operator's own, and its key.
  public struct ServerCertificate: Sendable, Equatable {
    /// The chain in PEM, the server's first; absolute.
    public var chainFile: String
    /// The key in PEM; absolute.
    public var keyFile: String

    /// A certificate in these files.
    public init(chainFile: String, keyFile: String) {
      self.chainFile = chainFile
      self.keyFile = keyFile
    }
  }

  /// What providers are shown that ask for one of its host names.
  public var serverCertificate: ServerCertificate?
  /// A file with the admin API's token, which replaces the folder's; nil: the folder's own.
  public var adminTokenFile: String?
  /// The one environment that this gateway serves.
  public var environment = BelfryWire.Environment.sandbox
  /// The listeners' ports.
  public var ports = GatewayPorts()
  /// Who may enrol.
  public var enrolment = Enrolment.code
  /// Enrolments a minute with one code; `nil`: any number.
  public var enrolmentsPerMinute: UInt32? = 10_000
  /// Which apps exist.
  public var apps = Apps.adopt
  /// Descriptors that the process may open; the bounds of connections follow from them.
  public var descriptors = 1_024
  /// Whether the records of devices' connections are taken over from OpenSSL, which keeps idle ones small.
  public var takesOverRecords = true
  /// Connections of the console's port at a time.
  public var consoleConnections: Int { connectionBounds.console }
  var connectionBounds: ConnectionBounds {
    ConnectionBounds(descriptors: descriptors, loops: loops)
  }
  /// Event loops.
  public var loops = 1
  /// Pushes a second to one device token; `nil`: any number.
  public var deviceRate: UInt32?
  /// Pushes a second of one provider connection; `nil`: any number.
  public var connectionRate: UInt32?
  /// Pushes a second of one team; `nil`: any number.
  public var teamRate: UInt32?
  /// Errors of one provider connection that end it, beyond its accepted requests; 0: any number.
  public var connectionErrorsMax: UInt32 {
    get { providerErrors.errors }
    set { providerErrors.errors = newValue }
  }
  /// BadDeviceToken answers of one provider connection that end it, beyond its accepted requests; 0: any number.
  public var connectionBadTokensMax: UInt32 {
    get { providerErrors.badDeviceTokens }
    set { providerErrors.badDeviceTokens = newValue }
  }
  var providerErrors = ProviderErrorPolicy.Bounds()
  /// Whether to accept tokens that claim ES512 and are signed over SHA-512 with a P-256 key, as one client
  /// library makes them (apns-protocol 2.1).
  public var acceptsES512 = true
  /// Whether files of the folder that are missing or damaged are made anew.
  public var recovers = false
  /// The store's address; `nil` for SQLite in the folder.
  public var store: String?

  /// The defaults, for a folder.
  public init(folder: String) { self.folder = folder }

  /// Whether a certificate can name this: an IP address, or a host name of RFC 1123's letters.
  public static func isName(_ text: String) -> Bool {
    if let range = AddressRange(text) { return range.prefixBits == range.address.count * 8 }
    let labels = text.split(separator: ".", omittingEmptySubsequences: false)
    return text.utf8.count <= Limits.hostNameBytesMax
      && labels.allSatisfy { label in
        (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
          && label.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
      }
  }

  /// The host names of Apple's services, which the server certificate names as well, so that an
  /// unmodifiable client can be pointed here (apns-protocol 1.1).
  public static let appleHostNames = [
    "api.push.apple.com", "api.sandbox.push.apple.com", "api.development.push.apple.com",
    "api-broadcast.sandbox.push.apple.com", "api-manage-broadcast.push.apple.com",
    "api-manage-broadcast.sandbox.push.apple.com", "gateway.push.apple.com",
    "gateway.sandbox.push.apple.com", "feedback.push.apple.com",
    "feedback.sandbox.push.apple.com",
  ]
}
