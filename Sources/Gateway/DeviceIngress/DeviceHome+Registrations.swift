import BelfryWire
import PushWire
import Storage
import System

/// The registrations of devices, and the tokens that devices receive.
extension DeviceHome {
  /// Handles a device's request about a topic; if the app is unknown, the control plane decides.
  func handle(
    _ verb: LinkFrame.TopicVerb, _ topic: LinkTopic, of device: UInt64, request: UInt16,
    on connection: DeviceConnection
  ) {
    guard let app = directory.app(bundleID: Array(topic.bundleID.utf8).span) else {
      guard verb == .register else {
        let mayBeDamaged = directory.damage.mayHave(.bundle(topic.bundleID))
        connection.answer(request, with: .refused(mayBeDamaged ? .tryLater : .notRegistered))
        return
      }
      // Check the limit first, so that no app is adopted for a request that is then refused.
      guard registrations.hasRoom(device) else {
        connection.answer(request, with: .refused(.tooMany))
        return
      }
      context.ask(.adopt(connection.session, request: request, topic, device: device))
      return
    }
    let key = NotificationKey(device: device, app: app.number, kind: topic.kind.rawValue)
    perform(
      registrations.handle(
        RegistrationTable.Request(
          session: connection.session, number: request, verb: verb, key: key),
        atMilliseconds: loop.unixMilliseconds))
  }

  private func perform(_ actions: [RegistrationTable.Action]) {
    for action in actions {
      switch action {
      case .persist(let record):
        registering[persist([.putRegistration(record)])] = record.key
      case .discardWaiting(let key, let state):
        if state == .disabled {
          core.disable(key, now: now)
        } else {
          core.unregister(key, now: now)
        }
      case .reply(let request, let reply):
        // The session might have ended during the disk write.
        guard let connection = connections[request.session] else { continue }
        answer(request, with: reply, on: connection)
      }
    }
  }

  func handle(_ reply: ControlReply) {
    if case .claimLost(let devices) = reply.failure {
      for device in devices where context.isHome(of: device) { loseClaim(on: device) }
    } else if let failure = reply.failure {
      log.storeFailure("cannot store a device's request", failure)
    }
    if let key = registering.removeValue(forKey: reply.ticket) {
      // If another node has claimed the device in the meantime, the device asks again.
      let isOwner = cluster?.table.isHeld(key.device) ?? true
      let isDurable = reply.failure == nil && isOwner
      perform(
        registrations.finish(key, isDurable: isDurable, atMilliseconds: loop.unixMilliseconds))
      // The store might have the change, which this home does not know. The device's state must be read again.
      if reply.failure?.isOfServer == true || !isOwner { loseClaim(on: key.device) }
    } else {
      finishSubscription(reply.ticket, isDurable: reply.failure == nil)
    }
  }

  private func answer(
    _ request: RegistrationTable.Request, with reply: RegistrationTable.Reply,
    on connection: DeviceConnection
  ) {
    switch reply {
    case .done: connection.answer(request.number, with: .done)
    case .notRegistered: connection.answer(request.number, with: .refused(.notRegistered))
    case .tooMany: connection.answer(request.number, with: .refused(.tooMany))
    case .tryLater: connection.answer(request.number, with: .refused(.tryLater))
    case .token(let entry):
      guard let kind = TokenKind(rawValue: request.key.kind) else {
        preconditionFailure("a registration has an unknown token kind: \(request.key.kind)")
      }
      let token = tokens.seal(
        TokenContents(
          environment: environment, kind: kind, generation: entry.generation,
          app: request.key.app, device: request.key.device))
      connection.answer(
        request.number, with: .token(handle: request.key.linkHandle, token: token))
      connection.add(topic: request.key)
    }
  }
}
