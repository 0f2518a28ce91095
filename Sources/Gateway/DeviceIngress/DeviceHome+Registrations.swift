import BelfryWire
import PushWire
import Storage
import System
import WebPush

/// The registrations of devices, and the tokens that devices receive.
extension DeviceHome {
  /// Handles a device's request about a topic; if the app is unknown, the control plane decides.
  func handle(
    _ verb: LinkFrame.TopicVerb, _ topic: LinkTopic, of device: UInt64, request: UInt16,
    on connection: DeviceConnection
  ) {
    if topic.kind == .webPush {
      return handle(verb, webPush: topic, of: device, request: request, on: connection)
    }
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
    handle(
      RegistrationTable.Request(
        session: connection.session, number: request, verb: verb, key: key))
  }

  /// Handles a device's request about a Web Push subscription, whose number the device chose.
  private func handle(
    _ verb: LinkFrame.TopicVerb, webPush topic: LinkTopic, of device: UInt64, request: UInt16,
    on connection: DeviceConnection
  ) {
    guard let subject = WebPushSubject(topic) else {
      return connection.answer(request, with: .refused(.badTopic))
    }
    guard verb != .register || !linkSettings.webPushOrigin.isEmpty else {
      return connection.answer(request, with: .refused(.unknownApp))
    }
    let key = NotificationKey(
      device: device, app: subject.number, kind: TokenKind.webPush.rawValue)
    handle(
      RegistrationTable.Request(
        session: connection.session, number: request, verb: verb, key: key,
        keyHash: subject.keyHash))
  }

  /// Handles a browser's request about a subscription, whose number is a hash of its channel ID.
  func handle(
    _ verb: LinkFrame.TopicVerb, _ channel: AutopushChannel, keyHash: [UInt8], of device: UInt64,
    request: UInt16, session: SessionID
  ) {
    let key = NotificationKey(
      device: device, app: channel.number, kind: TokenKind.webPush.rawValue)
    handle(
      RegistrationTable.Request(
        session: session, number: request, verb: verb, key: key, keyHash: keyHash))
  }

  private func handle(_ request: RegistrationTable.Request) {
    guard registrations.isWriting(request.key) || isCurrent(request.key.device) else {
      return perform([.reply(request, .tryLater)])
    }
    perform(registrations.handle(request, atMilliseconds: loop.unixMilliseconds))
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
        if let connection = connections[request.session] {
          answer(request, with: reply, on: connection)
        } else {
          autopush[request.session]?.answer(request, with: reply)
        }
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
      let contents = TokenContents(
        environment: environment, kind: kind, generation: entry.generation,
        app: request.key.app, device: request.key.device)
      let token =
        kind == .webPush
        ? tokens.sealEndpoint(contents, keyHash: request.keyHash) : tokens.seal(contents)
      connection.answer(
        request.number, with: .token(handle: request.key.linkHandle, token: token))
      connection.add(topic: request.key)
    }
  }
}
