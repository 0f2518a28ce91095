public import System

/// What `belfry agent` is started with.
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
    /// What lets a device join; empty at an open gateway or once enrolled.
    public var enrolmentCode: String

    /// A gateway.
    public init(host: String, port: UInt16, authorityPEM: [UInt8], enrolmentCode: String) {
      self.host = host
      self.port = port
      self.authorityPEM = authorityPEM
      self.enrolmentCode = enrolmentCode
    }
  }

  /// The folder of everything that is kept.
  public var dataFolder: String
  /// The folder into which apps' client modules put the files of attachments; nil: the agent deletes none.
  public var attachmentsFolder: String?
  /// Where apps connect.
  public var socketPath: String
  /// nil: the desktop if a session bus is there, else the terminal.
  public var presenters: [PresenterKind]?
  /// Whether the session bus is used, by which apps are started and a desktop presents.
  public var usesSessionBus = true
  /// How requests for authorisation are answered.
  public var grant = GrantPolicy.ask
  /// nil: local notifications alone.
  public var gateway: Gateway?
  /// Whether time moves only by command.
  public var hasManualClock = false
  /// Pending local notifications kept per app, the soonest.
  public var pendingLimit = 64
  /// Written once apps can connect; nil writes none.
  public var readyFile: String?
  /// Takes a line of a presenter without its newline.
  public var output: (String) -> Void
  /// Whether a person may type answers on standard input.
  public var readsInput = false
  /// For what happens.
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
