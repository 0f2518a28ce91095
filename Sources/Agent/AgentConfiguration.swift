public import System

/// The configuration of `belfry agent`.
public struct AgentConfiguration {
  /// The gateway that the device belongs to.
  public struct Gateway: Sendable {
    /// The gateway's host name or address.
    public var host: String
    /// The gateway's device port.
    public var port: UInt16
    /// The certificate authority that signed the gateway's certificate, in PEM format.
    public var authorityPEM: [UInt8]
    /// The enrollment code; empty for an open gateway or an enrolled device.
    public var enrollmentCode: String

    /// Creates the settings for a gateway.
    public init(host: String, port: UInt16, authorityPEM: [UInt8], enrollmentCode: String) {
      self.host = host
      self.port = port
      self.authorityPEM = authorityPEM
      self.enrollmentCode = enrollmentCode
    }
  }

  /// A gateway that has not started yet and therefore has not written its description.
  public struct AwaitedGateway {
    /// The path of the file in which the gateway describes itself once it accepts devices.
    public var file: String
    /// True if the user specified the gateway; false if it is the current user's default gateway, which might never
    /// exist.
    public var isNamed: Bool
    /// A function that reads the description of the gateway.
    public var read: () throws -> Gateway

    /// Creates the settings for a gateway that the agent waits for.
    public init(file: String, isNamed: Bool, read: @escaping () throws -> Gateway) {
      self.file = file
      self.isNamed = isNamed
      self.read = read
    }
  }

  /// The path of the agent's data folder.
  public var dataFolder: String
  /// The folder in which apps' client modules store attachment files.
  ///
  /// If nil, the agent deletes no attachment files.
  public var attachmentsFolder: String?
  /// The path of the socket that apps connect to.
  public var socketPath: String
  /// A socket that is already listening at `socketPath` (`ActivationSocket`); nil if the agent opens its own.
  public var socketDescriptor: Int32?
  /// The number of descriptors that the process can have open (`DescriptorLimit`), which limits the number of app
  /// connections.
  public var descriptors = Int.max
  /// The limits on the memory, in bytes, that app connections can make the agent hold.
  var heldBytes = HeldBytes.Bounds()
  /// The presenters to use.
  ///
  /// If nil, the agent uses the desktop presenter while a session bus is available, and the terminal presenter
  /// otherwise.
  public var presenters: [PresenterKind]?
  /// True if the agent uses the session bus, through which it starts apps and presents notifications on a desktop.
  public var usesSessionBus = true
  /// True if the agent serves UnifiedPush on the session bus, through which apps receive Web Push messages.
  public var servesUnifiedPush = true
  /// True if the agent reads the device's state (battery, network, and sleep) from the machine's services.
  public var usesMachineServices = true
  /// The device's name, as shown by the gateway; nil to use the machine's name.
  public var deviceName: String?
  /// The policy for answering authorization requests.
  public var grant = GrantPolicy.ask
  /// The gateway; nil for local notifications only.
  public var gateway: Gateway?
  /// The gateway to join once it has started; nil if `gateway` is set or no gateway is configured.
  public var awaitedGateway: AwaitedGateway?
  /// True if the user started the agent with `--gateway none`, which error messages then mention.
  public var isGatewayOff = false
  /// True if the clock is manual: only commands move it.
  public var hasManualClock = false
  /// The maximum number of pending local notifications per app; the agent keeps those that fire soonest.
  public var pendingLimit = 64
  /// The path of a file to which each received push is appended; nil to record nothing.
  public var receivedFile: String?
  /// The path of a file that is written once apps can connect; nil to write none.
  public var readyFile: String?
  /// A function that receives each line that a presenter prints, without the newline.
  public var output: (String) -> Void
  /// True if the user can type answers on standard input.
  public var readsInput = false
  /// The log that the agent writes to.
  public var log: Log

  /// Creates a configuration with default values.
  public init(
    dataFolder: String, socketPath: String, log: Log, output: @escaping (String) -> Void
  ) {
    self.dataFolder = dataFolder
    self.socketPath = socketPath
    self.log = log
    self.output = output
  }
}

/// The reason that the agent could not start.
public struct AgentFailure: Error, CustomStringConvertible {
  /// A description of the problem and how to fix it.
  public let description: String

  init(_ description: String) { self.description = description }
}
