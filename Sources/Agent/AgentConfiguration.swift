public import System

/// The configuration of `belfry agent`.
public struct AgentConfiguration {
  /// How notifications reach a person.
  public enum PresenterKind: String, Sendable, CaseIterable {
    case desktop, terminal, json
  }

  /// The gateway that the device belongs to.
  public struct Gateway: Sendable {
    /// A name or an address.
    public var host: String
    /// Its device port.
    public var port: UInt16
    /// The authority of its certificate, PEM.
    public var authorityPEM: [UInt8]
    /// The enrolment code; empty for an open gateway or an enrolled device.
    public var enrolmentCode: String

    /// A gateway.
    public init(host: String, port: UInt16, authorityPEM: [UInt8], enrolmentCode: String) {
      self.host = host
      self.port = port
      self.authorityPEM = authorityPEM
      self.enrolmentCode = enrolmentCode
    }
  }

  /// The data folder.
  public var dataFolder: String
  /// The folder into which apps' client modules put the files of attachments; nil: the agent deletes none.
  public var attachmentsFolder: String?
  /// The path of the socket that apps connect to.
  public var socketPath: String
  /// A socket that listens at `socketPath` already (`ActivationSocket`); nil where the agent opens it.
  public var socketDescriptor: Int32?
  /// The descriptors that the process may have open (`DescriptorLimit`), which bound the connections of apps.
  public var descriptors = Int.max
  /// Bytes that connections of apps may hold of the agent's memory.
  var heldBytes = HeldBytes.Bounds()
  /// The presenters; nil for the desktop if there is a session bus, otherwise the terminal.
  public var presenters: [PresenterKind]?
  /// Whether the session bus is used, by which apps are started and a desktop presents.
  public var usesSessionBus = true
  /// Whether the machine's services say how the device stands: its battery, its network, whether it sleeps.
  public var usesMachineServices = true
  /// The device's name for people at the gateway; nil for the machine's.
  public var deviceName: String?
  /// How requests for authorisation are answered.
  public var grant = GrantPolicy.ask
  /// The gateway; nil for local notifications only.
  public var gateway: Gateway?
  /// Whether the clock moves only by command.
  public var hasManualClock = false
  /// Pending local notifications per app; the soonest are kept.
  public var pendingLimit = 64
  /// Written once apps can connect; nil writes none.
  public var readyFile: String?
  /// Receives each line of a presenter, without its newline.
  public var output: (String) -> Void
  /// Whether a person may type answers on standard input.
  public var readsInput = false
  /// The log.
  public var log: Log

  /// A configuration with the usual values.
  public init(
    dataFolder: String, socketPath: String, log: Log, output: @escaping (String) -> Void
  ) {
    self.dataFolder = dataFolder
    self.socketPath = socketPath
    self.log = log
    self.output = output
  }
}

/// Why the agent could not start.
public struct AgentFailure: Error, CustomStringConvertible {
  /// What is wrong and what to do.
  public let description: String

  init(_ description: String) { self.description = description }
}
