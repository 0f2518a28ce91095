import BelfryWire
import Storage
import System
import Transport

/// An event loop of the gateway: a thread that hosts one provider front and one device home.
///
/// Only the loop's own thread uses its front and its home, so their state needs no locks. Messages to the fronts and
/// homes of other loops are posted to those loops' mailboxes in batches.
package final class GatewayLoop: TurnEndTarget {
  let front: ProviderFront
  let home: DeviceHome
  private let context: LoopContext
  private var loop: EventLoop { context.loop }
  private var isDraining = false
  private var hasReportedDrained = false
  private var isTurnEndScheduled = false

  init(
    index: Int, loop: EventLoop, shared: GatewayShared, directory: CredentialDirectory,
    devices: DeviceTable, registrations: RegistrationTable, deliveryLog: DeliveryLog,
    highestSequence: UInt64
  ) throws(CryptoFailure) {
    precondition(
      index >= 0 && index < shared.configuration.loops, "the loop index is valid: \(index)")
    context = try LoopContext(index: index, loop: loop, shared: shared, directory: directory)
    front = ProviderFront(context)
    home = DeviceHome(
      context, devices: devices, registrations: registrations, deliveryLog: deliveryLog,
      highestSequence: highestSequence)
    context.handleHere = { [unowned self] message in
      handle(message)
      if case .submission = message { home.performEffects() }
    }
    context.openAutopush = { [unowned self] stream, unread, opening in
      home.openAutopush(stream, unread: unread, opening)
    }
    context.scheduleTurnEnd = { [unowned self] in scheduleTurnEnd() }
    scheduleTick()
  }

  /// Creates the gateway's loop on its own thread, and reports to the control plane that the loop is running.
  static func run(
    index: Int, on loop: EventLoop, shared: GatewayShared, directory: CredentialDirectory,
    devices: DeviceTable, registrations: RegistrationTable, channels: ChannelSnapshot,
    highestSequence: UInt64
  ) {
    do {
      let part = try GatewayLoop(
        index: index, loop: loop, shared: shared, directory: directory, devices: devices,
        registrations: registrations, deliveryLog: try shared.makeDeliveryLog(index),
        highestSequence: highestSequence)
      part.home.restore(channels)
      // Handle messages before file descriptors: while this loop was blocked, it might have been notified of an app or
      // a key that the next push needs.
      let mailbox = loop.mailbox(of: LoopMessage.self, isBeforeDescriptors: true) { messages in
        part.handle(messages)
      }
      shared.didStartLoop?(part)
      shared.controlPlane.post(.ready(loop: index, mailbox))
    } catch {
      shared.controlPlane.post(.failed(loop: index, "\(error)"))
    }
  }

  private func scheduleTick() {
    _ = loop.schedule(afterNanoseconds: Limits.tickNanoseconds) { [unowned self] in
      context.compareClocks()
      home.tick()
      scheduleTick()
    }
  }

  // MARK: Messages

  /// Handles messages from other threads.
  func handle(_ messages: [LoopMessage]) {
    for message in messages { handle(message) }
    home.performEffects()
  }

  private func handle(_ message: RoutedMessage) {
    switch message {
    case .submission(let submission): home.receive(submission)
    case .outcome(let address, let outcome): front.handle(outcome, for: address)
    case .relayed(let push): front.handle(push)
    case .enrolled(let device, let reply, let route):
      home.add(device)
      guard context.send(.homeReply(reply), to: route) else {
        return assertionFailure("an enrollment arrived from \(route), which does not exist")
      }
    case .homeReply(let reply): home.handle(reply)
    case .frontReply(let reply):
      if case .channels(_, _, .accepted(let broadcast)) = reply {
        home.appendToLog(received: broadcast)
      }
      front.handle(reply)
    case .channels(let update): home.handle(update)
    case .revoked(let device, let atMilliseconds):
      home.claimAndRevoke(device, atMilliseconds: atMilliseconds)
    case .revokedElsewhere(let device, let atMilliseconds):
      home.revoke(device, atMilliseconds: atMilliseconds)
    case .messageQuestion(let question): home.handle(question)
    case .messageAnswer(let address, let answer): front.handle(answer, for: address)
    case .forwardedOutcome(let number, let outcome): home.handle(outcome, ofPush: number)
    case .claimLost(let device): home.loseClaim(on: device)
    case .verifyLinks: home.verifyLinks()
    case .claimedElsewhere(let claims):
      for claim in claims { home.loseClaim(on: claim.device) }
      home.removeUnusedLinks(claims)
    }
  }

  private func handle(_ message: LoopMessage) {
    switch message {
    case .routed(let message): handle(message)
    case .attach(let detached, let device): home.attach(detached, device)
    case .attachAutopush(let detached, let arrival): home.attachAutopush(detached, arrival)
    case .directory(let directory):
      context.use(directory)
      front.use(directory)
    case .continueFanOut: home.continueFanOut()
    case .confirm(let barrier): barrier.pass()
    case .readPresence(let collector): collector.add(home.presences)
    case .security(let security):
      front.use(security)
      home.use(security)
    case .rotation(let change): handle(change)
    case .configuration(let configuration):
      front.use(configuration)
      home.use(configuration)
    case .readLog(let query, let collector):
      collector.add(home.lines(of: query) + front.lines(of: query))
    case .followLog(let query, let follower):
      home.follow(query, follower)
      front.follow(query, follower)
    case .open(let peers, let ports):
      context.open(peers)
      open(ports)
    case .drain: drain()
    case .stop: stop()
    }
  }

  private func handle(_ change: LoopRotation.Change) {
    switch change {
    case .trust(let mark): if context.use(trustMark: mark) { home.announceTrust() }
    case .continueTrust(let sessions): home.announceTrust(to: sessions)
    case .tokenKeys(let keys): context.use(tokenKeys: keys)
    }
  }

  /// Opens the listeners and reports their ports to the control plane.
  private func open(_ ports: GatewayPorts) {
    loop.boundHandshakes(to: context.shared.census.bounds.handshakes)
    let index = context.route.loop
    do throws(ListenFailure) {
      var taken = ports
      try front.open(&taken)
      try home.open(&taken)
      context.post(.opened(loop: index, taken))
    } catch {
      context.post(.failed(loop: index, "\(error)"))
    }
  }

  // MARK: Turns

  private func scheduleTurnEnd() {
    guard !isTurnEndScheduled else { return }
    isTurnEndScheduled = true
    loop.atTurnEnd(self)
  }

  /// Ends a turn; the event loop calls this method.
  package func turnEnded() {
    assert(isTurnEndScheduled, "a turn ends only when scheduled")
    isTurnEndScheduled = false
    context.flush()
    home.turnEnded()
    if isDraining { reportIfDrained() }
  }

  // MARK: Shutdown

  /// Stops accepting connections and requests; everything that was accepted is stored or delivered.
  private func drain() {
    guard !isDraining else { return }
    isDraining = true
    front.drain()
    home.drain()
    reportIfDrained()
  }

  private func reportIfDrained() {
    guard isDraining, !hasReportedDrained, front.isDrained, home.isDrained else { return }
    hasReportedDrained = true
    context.post(.drained(loop: context.route.loop))
  }

  private func stop() {
    front.stop()
    home.stop()
    loop.stop()
  }

  /// Releases the connections that are still open when the loop stops, because they retain this object.
  package func releaseConnections() {
    front.connections = ProviderConnections()
    home.connections = SessionTable()
    home.autopush = SessionTable()
  }

  /// Asserts the invariants that hold between turns; skips notification lists with more than `entriesMax` entries.
  package func checkInvariants(entriesMax: Int = .max) {
    context.checkInvariants(isTurnEndScheduled: isTurnEndScheduled)
    front.checkInvariants(isDraining: isDraining)
    home.checkInvariants(isDraining: isDraining, entriesMax: entriesMax)
    assert(!hasReportedDrained || isDraining, "only a draining loop reports that it is drained")
  }

  /// The number of connections of each kind.
  package var connectionCounts: (providers: Int, devices: Int, feedbackClients: Int) {
    let counts = front.connections.counts
    return (
      counts.providers, home.connections.count + home.autopush.count, counts.feedbackClients
    )
  }
}
