import AppWire
import Glibc
public import System

/// The device's daemon, which connects apps, the machine, and the engine.
///
/// The daemon is confined to its loop. It passes every event to `AgentEngine`. `AppServer` carries out the resulting
/// effects that are for apps, and the machine carries out the others.
public final class AgentDaemon {
  let loop: EventLoop
  package let engine: AgentEngine
  private let machine: any AgentMachine
  private(set) var server: AppServer?
  private let log: Log
  private var isStopped = false

  /// Creates and starts the daemon on this machine; throws failures that an operator can correct.
  public convenience init(
    _ configuration: AgentConfiguration, on loop: EventLoop
  ) throws(AgentFailure) {
    let machine = try LinuxMachine(configuration, on: loop)
    try self.init(machine.resources, on: loop)
  }

  /// Creates and starts the daemon with these resources.
  package init(_ resources: AgentResources, on loop: EventLoop) throws(AgentFailure) {
    self.loop = loop
    log = resources.log
    machine = resources.machine
    engine = AgentEngine(
      resources.model, on: loop, clock: resources.clock, journal: resources.journal,
      lookUps: resources.lookUps, makeCalendar: resources.makeCalendar)
    engine.shell = self
    engine.observer = resources.observer
    handle(.recordsRestored(resources.records))
    do throws(AgentFailure) {
      try start(resources)
    } catch {
      close()
      throw error
    }
  }

  private func start(_ resources: AgentResources) throws(AgentFailure) {
    machine.open(for: self)
    do throws(SystemFailure) {
      server = try AppServer(
        loop: loop, transport: resources.transport, userID: resources.model.userID,
        connections: resources.connections, held: resources.held, listener: self,
        log: log.child("apps"))
    } catch {
      if case .call(_, EADDRINUSE, let path) = error {
        throw AgentFailure(
          "another agent is already running on \(path): stop the process that 'belfry doctor --socket \(path)' names, "
            + "or choose another --socket")
      }
      throw AgentFailure("\(error)")
    }
    try machine.prepareLink()
    handle(.started)
    if !isStopped { machine.daemonStarted() }
  }

  /// Writes the changes of the current turn, then shuts down, so no confirmed data is lost.
  public func stop() {
    guard !isStopped else { return }
    engine.turnEnded()
    close()
    log.info("the agent stopped")
  }

  private func close() {
    guard !isStopped else { return }
    halt()
    // Close the socket first: once the machine releases the lock on the data folder, another agent can use the socket.
    server?.close()
    machine.close()
  }

  /// Stops handling events and carrying out effects.
  package func halt() {
    isStopped = true
    engine.stop()
  }

  /// Writes the changes of the current turn now, and then has the turn's effects carried out.
  func commit() { engine.turnEnded() }

  var model: AgentModel { _read { yield engine.model } }
  /// The number of changes that are not written yet.
  package var unpersistedCount: Int { engine.unpersistedCount }
  var damageNotice: String? { engine.damageNotice }

  // MARK: - Events

  /// Passes an event to the engine.
  package func handle(_ event: AgentEvent) {
    guard !isStopped else { return }
    engine.handle(event)
  }
}

extension AgentDaemon: AppServerListener {
  func appGreeted(_ requestID: RequestID, _ hello: AppHello, by process: ProcessIdentity) {
    handle(.appGreeted(requestID, hello, process))
  }

  func appRequested(_ requestID: RequestID, _ request: AppRequest) {
    guard !isStopped else { return }
    // Let the machine check the request's files, because the model cannot read files.
    if let refusal = machine.refusal(of: request) { return carryOut(.refuse(requestID, refusal)) }
    engine.request(requestID, request)
  }

  func appReplied(_ question: Question, _ reply: AppReply) { handle(.appReplied(question, reply)) }

  func app(of connection: ConnectionID) -> AppID? { model.app(of: connection) }

  func appDisconnected(_ connection: ConnectionID) {
    machine.appDisconnected()
    handle(.appDisconnected(connection))
  }
}

extension AgentDaemon: AgentShell {
  package func carryOut(_ effect: AgentEffect) {
    guard !isStopped, server?.carryOut(effect) != true else { return }
    machine.carryOut(effect)
  }

  package func start(_ order: ExtensionOrder) -> Bool { !isStopped && machine.start(order) }
}
