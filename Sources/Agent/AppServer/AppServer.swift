import BelfryWire
import AppWire
import System
import Transport

/// A receiver of apps' messages; confined to the agent's loop.
protocol AppServerListener: AnyObject {
  func appGreeted(_ requestID: RequestID, _ hello: AppHello, by process: ProcessIdentity)
  func appRequested(_ requestID: RequestID, _ request: AppRequest)
  func appReplied(_ question: Question, _ reply: AppReply)
  func appDisconnected(_ connection: ConnectionID)
  /// Returns the app that owns a connection; nil for a command's connection, and before the greeting.
  func app(of connection: ConnectionID) -> AppID?
}

/// A server that exchanges frames with apps and commands over one connection each.
final class AppServer {
  private let log: Log
  private let userID: UInt32
  private let transport: any AppTransport
  private weak var listener: (any AppServerListener)?
  private var connections: [ConnectionID: AppConnection] = [:]
  /// Connections that have not sent their greeting, oldest first.
  private var ungreeted: [ConnectionID] = []
  private var nextNumber: UInt64 = 1
  private var census: AppConnectionCensus
  private var held: HeldBytes
  /// The work that each app has caused in this turn.
  private var budget = TurnBudget()

  /// Creates a server that accepts connections from `transport`.
  init(
    loop: EventLoop, transport: any AppTransport, userID: UInt32,
    connections bounds: AppConnectionCensus.Bounds, held: HeldBytes.Bounds,
    listener: any AppServerListener, log: Log
  ) throws(SystemFailure) {
    census = AppConnectionCensus(bounds)
    self.held = HeldBytes(held)
    self.log = log
    self.userID = userID
    self.transport = transport
    self.listener = listener
    try transport.listen(on: loop) { [weak self] in self?.accept($0) }
  }

  /// Stops accepting connections, and closes every connection.
  func close() {
    transport.close()
    for connection in connections.values { connection.stream.close() }
  }

  /// Sends an effect's frame; returns false if the effect has no frame.
  func carryOut(_ effect: AgentEffect) -> Bool {
    switch effect {
    case .answer(let requestID, let answer): self.answer(requestID, answer)
    case .refuse(let requestID, let failure):
      guard let number = requestID.number else { break }
      send(AppMessage.refusing(number, failure), to: requestID.connection)
    case .tell(let connection, let event): send(event.frame, to: connection)
    case .ask(let question, let event, _):
      send(event.frame.numbered(question.number), to: question.connection)
    case .close(let connection): connections[connection]?.stream.close()
    default: return false
    }
    return true
  }

  private func answer(_ requestID: RequestID, _ answer: AppAnswer) {
    guard let number = requestID.number else { return }
    guard !send(answer.frame.answering(number), to: requestID.connection) else { return }
    let failure = AppLinkFailure(
      .invalidArgument, "the response is too long: request less data")
    if !send(AppMessage.refusing(number, failure), to: requestID.connection) {
      log.debug("a response arrived too late")
    }
  }

  /// Sends a frame.
  ///
  /// Returns false if the connection is closed or the frame is too long.
  @discardableResult
  func send(_ frame: AppFrame, to connection: ConnectionID) -> Bool {
    guard let recipient = connections[connection], recipient.stream.isOpen else { return false }
    let stream = recipient.stream
    let bytes = frame.encoded
    guard bytes.count <= Limits.sentFrameBytes else { return false }
    stream.write(bytes)
    account(connection)
    let owner = owner(of: recipient)
    count(on: stream.loop) { $0.spend(bytes.count, of: owner) }
    return true
  }

  /// Returns true if the owner of a connection may make more requests in this turn.
  fileprivate func hasTurn(_ connection: AppConnection) -> Bool {
    budget.hasTurn(owner(of: connection))
  }

  /// Returns the owner of a connection: its app, or its process if the connection has no app.
  ///
  /// The work of a turn is counted per owner, so no process can use up another process's share.
  private func owner(of connection: AppConnection) -> HeldBytes.Owner {
    listener?.app(of: connection.id).map { .app($0) } ?? .process(connection.process.pid)
  }

  private func count(on loop: EventLoop, _ spend: (inout TurnBudget) -> Void) {
    if budget.isUntouched {
      loop.schedule(afterNanoseconds: 0) { [weak self] in self?.budget.renew() }
    }
    spend(&budget)
  }

  private func accept(_ stream: ByteStream) -> (any StreamHandler)? {
    guard let credentials = transport.credentials(of: stream) else {
      log.warning("refused an app without credentials")
      return nil
    }
    guard credentials.uid == userID || credentials.uid == 0 else {
      log.warning("refused a process of another user", ["uid": String(credentials.uid)])
      return nil
    }
    if ungreeted.count >= Limits.ungreetedConnections { closeSilent() }
    if census.refusal(process: credentials.pid, user: credentials.uid) == .process {
      closeSilent(of: credentials.pid)
    }
    if let refusal = census.refusal(process: credentials.pid, user: credentials.uid) {
      report(refusal, credentials)
      return nil
    }
    let id = ConnectionID(number: nextNumber)
    nextNumber += 1
    // Inspect the process now, not when its greeting arrives: the longer the server waits, the more likely the process
    // is to have exited.
    let process = transport.identity(of: stream, credentials)
    switch process.obstacle {
    case nil: break
    case .unknownSandbox:
      log.warning(
        "refused a process whose sandbox claims to be Flatpak's", ["pid": String(process.pid)])
    case .ended:
      // This is normal: a short command can exit before the agent accepts its connection.
      log.debug("a process exited right after it connected", ["pid": String(process.pid)])
    case .unreadable(let what):
      log.warning(
        "refused a process that the agent may not inspect",
        ["pid": String(process.pid), "why": what])
    }
    let connection = AppConnection(id: id, stream: stream, process: process, server: self)
    connections[id] = connection
    ungreeted.append(id)
    census.add(process: process.pid, user: process.uid)
    held.add(id, of: .process(process.pid))
    return connection
  }

  /// Closes the oldest connection that has not sent its greeting; if `process` is given, considers only the connections
  /// of that process.
  private func closeSilent(of process: Int32? = nil) {
    let index = ungreeted.firstIndex { id in
      process == nil || connections[id]?.process.pid == process
    }
    guard let index, let silent = connections[ungreeted[index]] else { return }
    log.warning(
      "closed a connection that had not sent its greeting, to make room for another",
      ["pid": String(silent.process.pid)])
    ungreeted.remove(at: index)
    uncount(silent)
    silent.stream.close(afterFlush: false)
  }

  private func report(
    _ refusal: AppConnectionCensus.Refusal, _ credentials: Socket.PeerCredentials
  ) {
    let pid = String(credentials.pid)
    switch refusal {
    case .process:
      log.warning(
        "a process has too many connections: refusing more",
        ["pid": pid, "allowed": String(census.bounds.perProcess)])
    case .user:
      log.warning(
        "the processes of one user have too many connections: refusing more",
        ["uid": String(credentials.uid), "allowed": String(census.bounds.perUser)])
    case .total:
      log.warning(
        "too many apps are connected: raise the limit of open files if it is low",
        ["pid": pid, "allowed": String(census.bounds.total)])
    }
  }

  // MARK: - Held bytes

  /// Counts the bytes that a connection holds.
  ///
  /// If a limit is exceeded, closes the connections that hold the most bytes.
  private func account(_ connection: ConnectionID) {
    count(connection)
    while let excess = held.excess(for: connection) {
      // Count the other connections again, because their peers might have read output since the last count.
      for other in held.holders(of: excess) { count(other) }
      guard held.excess(for: connection) == excess, let worst = held.worst(of: excess) else {
        continue
      }
      closeHolder(worst.connection, bytes: worst.bytes, excess)
    }
    held.checkInvariants()
  }

  /// The bytes that all connections hold now.
  var heldBytes: Int { connections.values.reduce(0) { $0 + $1.heldBytes } }

  private func count(_ connection: ConnectionID) {
    held.set(connection, connections[connection]?.heldBytes ?? 0)
  }

  private func closeHolder(_ id: ConnectionID, bytes: Int, _ excess: HeldBytes.Excess) {
    defer { held.remove(id) }
    guard let connection = connections[id] else { return }
    let isOwn = if case .owner = excess { true } else { false }
    log.warning(
      isOwn
        ? "closing a slow connection: this app's connections use too much memory"
        : "closing a slow connection: all connections together use too much memory",
      [
        "pid": String(connection.process.pid), "app": listener?.app(of: id)?.text ?? "",
        "bytes": String(bytes),
        "allowed": String(isOwn ? held.bounds.perOwner : held.bounds.total),
      ])
    connection.stream.close(afterFlush: false)
  }

  // MARK: - Messages from connections

  fileprivate func received(_ frame: AppFrame, bytes: Int, _ connection: AppConnection)
    throws(AppLinkDecodingFailure)
  {
    let owner = owner(of: connection)
    count(on: connection.stream.loop) { $0.spend(bytes, of: owner) }
    switch try AppMessage(frame) {
    case .answer(let number, let frame):
      listener?.appReplied(
        Question(connection: connection.id, number: number), try AppReply(frame))
    case .refusal(let number, _):
      // Even an answer that is too long to read counts as an answer: nothing is shown, and the push counts as handled.
      listener?.appReplied(Question(connection: connection.id, number: number), .handled)
    case .request(let type, let number, let frame):
      ask(RequestID(connection: connection.id, number: number), type, frame, connection)
    }
  }

  private func ask(
    _ requestID: RequestID, _ type: String, _ frame: AppFrame, _ connection: AppConnection
  ) {
    do {
      switch try AppRequest(type: type, frame) {
      case .hello(let hello):
        connection.hasGreeted = true
        ungreeted.removeAll { $0 == connection.id }
        listener?.appGreeted(requestID, hello, by: connection.process)
        if let app = listener?.app(of: connection.id) { held.move(connection.id, to: .app(app)) }
      case let request:
        // Requests that arrive before the greeting are refused, so they need no budget for a list.
        if request.requestsList, connection.hasGreeted {
          let owner = owner(of: connection)
          count(on: connection.stream.loop) { $0.spendRest(of: owner) }
        }
        listener?.appRequested(requestID, request)
      }
    } catch {
      let reason: AppLinkFailure.Reason =
        if case .unknownType = error { .unsupportedMessage } else { .malformedMessage }
      log.warning(
        "an app sent an invalid message",
        ["pid": String(connection.process.pid), "what": "\(error)"])
      guard let number = requestID.number else { return }
      send(
        AppMessage.refusing(number, AppLinkFailure(reason, "\(error)")), to: requestID.connection)
    }
  }

  fileprivate func protocolBroken(by connection: AppConnection, _ failure: any Error) {
    log.warning(
      "an app violated the protocol: closing its connection",
      ["pid": String(connection.process.pid), "what": "\(failure)"])
    connection.stream.close(afterFlush: false)
  }

  /// Counts the received bytes of an incomplete frame.
  fileprivate func buffered(by connection: AppConnection) {
    if connection.stream.isOpen { account(connection.id) }
  }

  fileprivate func ended(_ connection: AppConnection, _ reason: StreamClosure) {
    if reason == .outputOverflow {
      log.warning(
        "closed a connection of an app that does not read",
        [
          "pid": String(connection.process.pid),
          "app": listener?.app(of: connection.id)?.text ?? "",
        ])
    }
    uncount(connection)
    held.remove(connection.id)
    connections[connection.id] = nil
    ungreeted.removeAll { $0 == connection.id }
    listener?.appDisconnected(connection.id)
  }
}

extension AppServer {
  /// Removes a closing connection from the census, unless it was already removed.
  private func uncount(_ connection: AppConnection) {
    guard connection.isCounted else { return }
    connection.isCounted = false
    census.remove(process: connection.process.pid, user: connection.process.uid)
  }
}

/// A connection that splits its stream into frames.
private final class AppConnection: StreamHandler {
  let id: ConnectionID
  let stream: ByteStream
  let process: ProcessIdentity
  private weak var server: AppServer?
  /// True if the connection has sent a greeting, valid or not.
  var hasGreeted = false
  /// True if the server's census counts the connection.
  var isCounted = true
  private var bytesReceived = 0
  /// True if the connection has used up its share of this turn.
  private var isWaitingForTurn = false
  private var decoder = AppFrameDecoder(limit: WireLimits.appFrameBytesMaxFromApp)

  init(
    id: ConnectionID, stream: ByteStream, process: ProcessIdentity, server: AppServer
  ) {
    self.id = id
    self.stream = stream
    self.process = process
    self.server = server
  }

  /// The number of bytes that the agent holds for the connection.
  var heldBytes: Int { stream.isOpen ? stream.pendingOutputBytes + decoder.bufferedBytes : 0 }

  func streamOpened(_ stream: ByteStream) {}

  func stream(_ stream: ByteStream, received bytes: UnsafeRawBufferPointer) {
    bytesReceived += bytes.count
    unsafe decoder.append(bytes)
    readFrames()
  }

  /// Handles complete frames, a few per turn, until the app must read its pending answers.
  ///
  /// Without these limits, the agent would keep encoding answers for a connection that sends requests but never reads
  /// the answers. Answers are written at the end of a turn, so unread answers can be counted only between turns.
  private func readFrames() {
    guard stream.isOpen, !isWaitingForTurn else { return }
    do {
      var count = 0
      while count < Limits.framesPerTurn, !isBehind, server?.hasTurn(self) ?? true,
        let frame = try decoder.next()
      {
        try server?.received(frame, bytes: decoder.latestFrameBytes, self)
        count += 1
      }
      guard hasGreeted || bytesReceived <= Limits.ungreetedBytes else {
        throw AppFrameFailure.tooLong(bytes: bytesReceived, limit: Limits.ungreetedBytes)
      }
      if count == Limits.framesPerTurn || server?.hasTurn(self) == false { waitForTurn() }
      if isBehind || isWaitingForTurn { stream.pauseReading() }
      if !decoder.isAtFrameStart { server?.buffered(by: self) }
    } catch {
      server?.protocolBroken(by: self, error)
    }
  }

  private var isBehind: Bool { stream.pendingOutputBytes > Limits.unreadOutputBytes }

  private func waitForTurn() {
    isWaitingForTurn = true
    stream.loop.schedule(afterNanoseconds: 0) { [weak self] in
      self?.isWaitingForTurn = false
      self?.resume()
    }
  }

  func streamDrained(_ stream: ByteStream) { resume() }

  private func resume() {
    guard stream.isOpen, !isBehind, !isWaitingForTurn else { return }
    stream.resumeReading()
    readFrames()
  }

  func stream(_ stream: ByteStream, closed reason: StreamClosure) { server?.ended(self, reason) }
}
