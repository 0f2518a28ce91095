package import AppWire
package import System

/// The machine that an agent runs on: its files, buses, windows, child programs, and link to the gateway.
///
/// The methods are called on the agent's loop. The machine reports events with `AgentDaemon.handle`.
package protocol AgentMachine: AnyObject {
  /// Opens the parts of the machine that report to `daemon`; called before apps can connect.
  func open(for daemon: AgentDaemon)

  /// Prepares the link to the gateway, which stays offline until `daemonStarted` is called.
  func prepareLink() throws(AgentFailure)

  /// Connects to the gateway; called once apps can connect.
  func daemonStarted()

  /// Carries out an effect that is not for an app.
  ///
  /// The records that precede the effect have already been written, or the attempt to write them has failed.
  func carryOut(_ effect: AgentEffect)

  /// Starts an app's extension; returns false if it cannot be started.
  func start(_ order: ExtensionOrder) -> Bool

  /// Returns the reason that a file of a new notification cannot be used; nil if all files can be used.
  func refusal(of request: AppRequest) -> AppLinkFailure?

  /// Called when an app's connection has closed, perhaps because the app's process has exited.
  func appDisconnected()

  /// Closes everything.
  func close()
}

/// The external dependencies of an agent, which belong to the machine or to a simulation.
package struct AgentResources {
  /// The machine, which the daemon owns.
  var machine: any AgentMachine
  /// The source of apps' connections.
  var transport: any AppTransport
  /// The limits on the number of connections.
  var connections: AppConnectionCensus.Bounds
  /// The limits on the memory, in bytes, that connections can make the agent hold.
  var held: HeldBytes.Bounds
  var model: AgentModel.Configuration
  /// The records that were durable when the agent started.
  var records: RestoredRecords
  /// The journal to which the agent writes its records.
  var journal: RecordJournal
  /// The machine's clock, or a manual clock.
  var clock: any ScheduleClock
  var lookUps: AgentModel.LookUps
  /// A function that returns a calendar, other than the Gregorian one, by its name.
  var makeCalendar: ZoneFolder.MakeCalendar
  var log: Log
  /// The observer of the engine in a simulation.
  weak var observer: (any AgentObserver)?

  package init(
    machine: any AgentMachine, transport: any AppTransport, connections: AppConnectionCensus.Bounds,
    held: HeldBytes.Bounds, model: AgentModel.Configuration, records: RestoredRecords,
    journal: RecordJournal, clock: any ScheduleClock, lookUps: AgentModel.LookUps,
    makeCalendar: @escaping ZoneFolder.MakeCalendar, log: Log, observer: (any AgentObserver)? = nil
  ) {
    self.machine = machine
    self.transport = transport
    self.connections = connections
    self.held = held
    self.model = model
    self.records = records
    self.journal = journal
    self.clock = clock
    self.lookUps = lookUps
    self.makeCalendar = makeCalendar
    self.log = log
    self.observer = observer
  }
}
