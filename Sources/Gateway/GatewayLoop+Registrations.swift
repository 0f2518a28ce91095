import BelfryWire
import Storage
import System

/// What devices register, and the tokens that they get for it.
extension GatewayLoop {
  /// Carries out what a device asks for a topic; an app that is not known yet is the control plane's matter.
  func take(
    _ verb: LinkFrame.TopicVerb, _ topic: LinkTopic, of device: UInt64, request: UInt16,
    on connection: DeviceConnection
  ) {
    guard let app = directory.app(bundleID: Array(topic.bundleID.utf8).span) else {
      guard verb == .register else {
        connection.answer(request, with: .refused(.notRegistered))
        return
      }
      ask(.adopt(connection.session, request: request, topic, device: device))
      return
    }
    let key = NotificationKey(device: device, app: app.number, kind: topic.kind.rawValue)
    guard verb != .register || connection.hasRoom(for: key) else {
      connection.answer(request, with: .refused(.tooMany))
      return
    }
    switch registrations.decide(verb, key, atMilliseconds: loop.unixMilliseconds) {
    case .unchanged(let entry) where verb == .register:
      answerToken(key, entry, request: request, on: connection)
    case .unchanged:
      connection.answer(request, with: .done)
    case .notRegistered:
      connection.answer(request, with: .refused(.notRegistered))
    case .changed(let entry):
      switch entry.state {
      case .unregistered: core.unregister(key, now: now)
      case .disabled: core.disable(key, now: now)
      case .active: break
      }
      persist(key, entry, wantsToken: verb == .register, request: request, on: connection)
    }
  }

  /// Makes changes durable; the ticket that the reply names.
  func persist(_ changes: [ControlChange]) -> UInt64 {
    commitTicket += 1
    shared.controlWriter.submit(changes: changes, ticket: commitTicket, reply: controlReplies)
    return commitTicket
  }

  /// A token is handed out only once its registration is on disk.
  func persist(
    _ key: NotificationKey, _ entry: RegistrationTable.Entry, wantsToken: Bool, request: UInt16,
    on connection: DeviceConnection
  ) {
    let ticket = persist([.putRegistration(entry.record(of: key))])
    registering[ticket] = Registering(
      session: connection.session, request: request, key: key, entry: entry,
      wantsToken: wantsToken)
  }

  func take(_ reply: ControlReply) {
    guard let done = registering.removeValue(forKey: reply.ticket) else {
      finishSubscription(reply)
      return
    }
    let connection = connections.device(done.session)
    if let failure = reply.failure {
      log.error("cannot keep a registration", ["why": "\(failure)"])
      connection?.answer(done.request, with: .refused(.tryLater))
    } else if done.wantsToken, let connection {
      answerToken(done.key, done.entry, request: done.request, on: connection)
    } else {
      connection?.answer(done.request, with: .done)
    }
  }

  func answerToken(
    _ key: NotificationKey, _ entry: RegistrationTable.Entry, request: UInt16,
    on connection: DeviceConnection
  ) {
    guard let kind = TokenKind(rawValue: key.kind) else {
      assertionFailure("a registration has the unknown kind \(key.kind)")
      return connection.answer(request, with: .refused(.tryLater))
    }
    let token = tokens.seal(
      TokenContents(
        environment: environment, kind: kind, generation: entry.generation, app: key.app,
        device: key.device))
    connection.answer(request, with: .token(handle: key.linkHandle, token: token))
    connection.add(topic: key)
  }
}

/// A registration on its way to disk.
struct Registering {
  let session: SessionID
  let request: UInt16
  let key: NotificationKey
  let entry: RegistrationTable.Entry
  let wantsToken: Bool
}
