import BelfryWire
import System
import Transport

/// Receives the messages of apps; confined to the agent's loop.
protocol AppServerListener: AnyObject {
  func appGreeted(_ ask: Ask, _ hello: AppHello, by process: ProcessIdentity)
  func appRequested(_ ask: Ask, _ request: AppRequest)
  func appReplied(_ question: Question, _ reply: AppReply)
  func appDisconnected(_ connection: ConnectionID)
}

/// The agent's Unix socket: frames in, frames out, one connection an app or command.
final class AppServer {
  private let log: Log
  private let userID: UInt32
  private let flatpak: FlatpakInstances
  private weak var listener: (any AppServerListener)?
  private var socket: StreamListener?
  private var connections: [ConnectionID: AppConnection] = [:]
  /// Connections that have not greeted, the oldest first.
  private var ungreeted: [ConnectionID] = []
  private var nextNumber: UInt64 = 1

  /// Listens at `path`; a socket file left by an agent that has ended is replaced.
  ///
  /// With `descriptor`, a socket that listens there already is accepted on, and its file outlives this server.
  init(
    loop: EventLoop, path: String, descriptor: Int32? = nil, userID: UInt32,
    listener: any AppServerListener, log: Log
  ) throws(SystemFailure) {
    self.log = log
    self.userID = userID
    flatpak = FlatpakInstances(ofUser: userID)
    self.listener = listener
    let accept = { [weak self] (stream: ByteStream) in self?.accept(stream) }
    if let descriptor {
      socket = try StreamListener(loop: loop, listening: descriptor, accept: accept)
    } else {
      socket = try StreamListener(loop: loop, unixPath: path, accept: accept)
    }
  }

  /// Stops listening, removes the socket file where it is its own, and ends every connection.
  func close() {
    socket?.close()
    socket = nil
    for connection in connections.values { connection.stream.close() }
  }

  /// Sends a frame; false when the connection is gone or the frame is too long for it.
  @discardableResult
  func send(_ frame: AppFrame, to connection: ConnectionID) -> Bool {
    guard let stream = connections[connection]?.stream, stream.isOpen else { return false }
    let bytes = frame.encoded
    guard bytes.count <= Limits.sentFrameBytes else { return false }
    stream.write(bytes)
    return true
  }

  /// Ends a connection after what was sent to it.
  func close(_ connection: ConnectionID) { connections[connection]?.stream.close() }

  private func accept(_ stream: ByteStream) -> (any StreamHandler)? {
    guard let credentials = stream.peerCredentials else {
      log.warning("an app without credentials is refused")
      return nil
    }
    guard credentials.uid == userID || credentials.uid == 0 else {
      log.warning("a process of another user is refused", ["uid": String(credentials.uid)])
      return nil
    }
    // Who says nothing gives way to who may.
    if ungreeted.count >= Limits.ungreetedConnections, let silent = connections[ungreeted[0]] {
      log.warning(
        "a connection that did not greet gives way to others", ["pid": String(silent.process.pid)])
      ungreeted.removeFirst()
      silent.stream.close(afterFlush: false)
    }
    guard connections.count < Limits.connections else {
      log.warning("too many apps are connected", ["pid": String(credentials.pid)])
      return nil
    }
    let id = ConnectionID(number: nextNumber)
    nextNumber += 1
    // Now, not at its greeting: the longer this waits, the likelier the process is gone.
    let process = ProcessInspector.inspect(stream, credentials, flatpak)
    switch process.obstacle {
    case nil: break
    case .unknownSandbox:
      log.warning(
        "refuses a process whose sandbox says that it is Flatpak's", ["pid": String(process.pid)])
    case .ended:
      log.warning("refuses a process that has ended", ["pid": String(process.pid)])
    case .unreadable(let what):
      log.warning(
        "refuses a process that it may not look at", ["pid": String(process.pid), "why": what])
    }
    let connection = AppConnection(id: id, stream: stream, process: process, server: self)
    connections[id] = connection
    ungreeted.append(id)
    return connection
  }

  // MARK: - What connections report

  fileprivate func received(_ frame: AppFrame, _ connection: AppConnection)
    throws(AppLinkDecodingFailure)
  {
    switch try AppMessage(frame) {
    case .answer(let number, let frame):
      listener?.appReplied(
        Question(connection: connection.id, number: number), try AppReply(frame))
    case .refusal(let number, _):
      // An answer too long to read counts as an answer: nothing is shown, and the push is handled.
      listener?.appReplied(Question(connection: connection.id, number: number), .handled)
    case .request(let type, let number, let frame):
      ask(Ask(connection: connection.id, number: number), type, frame, connection)
    }
  }

  private func ask(_ ask: Ask, _ type: String, _ frame: AppFrame, _ connection: AppConnection) {
    do {
      switch try AppRequest(type: type, frame) {
      case .hello(let hello):
        connection.hasGreeted = true
        ungreeted.removeAll { $0 == connection.id }
        listener?.appGreeted(ask, hello, by: connection.process)
      case let request: listener?.appRequested(ask, request)
      }
    } catch {
      let reason: AppLinkFailure.Reason =
        if case .unknownType = error { .unsupportedMessage } else { .malformedMessage }
      log.warning(
        "an app sent something that is not understood",
        ["pid": String(connection.process.pid), "what": "\(error)"])
      guard let number = ask.number else { return }
      send(
        AppMessage.refusing(number, AppLinkFailure(reason, "\(error)")), to: ask.connection)
    }
  }

  fileprivate func protocolBroken(by connection: AppConnection, _ failure: any Error) {
    log.warning(
      "an app broke the protocol: its connection is closed",
      ["pid": String(connection.process.pid), "what": "\(failure)"])
    connection.stream.close(afterFlush: false)
  }

  fileprivate func ended(_ connection: AppConnection) {
    connections[connection.id] = nil
    ungreeted.removeAll { $0 == connection.id }
    listener?.appDisconnected(connection.id)
  }
}

/// One connection: cuts the stream into frames.
private final class AppConnection: StreamHandler {
  let id: ConnectionID
  let stream: ByteStream
  let process: ProcessIdentity
  private weak var server: AppServer?
  /// Whether it has said who it is, or tried to.
  var hasGreeted = false
  private var bytesReceived = 0
  private var decoder = AppFrameDecoder(limit: WireLimits.appFrameBytesMaxFromApp)

  init(
    id: ConnectionID, stream: ByteStream, process: ProcessIdentity, server: AppServer
  ) {
    self.id = id
    self.stream = stream
    self.process = process
    self.server = server
  }

  func streamOpened(_ stream: ByteStream) {}

  func stream(_ stream: ByteStream, received bytes: UnsafeRawBufferPointer) {
    bytesReceived += bytes.count
    unsafe decoder.append(bytes)
    do {
      while let frame = try decoder.next() { try server?.received(frame, self) }
      guard hasGreeted || bytesReceived <= Limits.ungreetedBytes else {
        throw AppFrameFailure.tooLong(bytes: bytesReceived, limit: Limits.ungreetedBytes)
      }
    } catch {
      server?.protocolBroken(by: self, error)
    }
  }

  func streamDrained(_ stream: ByteStream) {}

  func stream(_ stream: ByteStream, closed reason: StreamClosure) { server?.ended(self) }
}
