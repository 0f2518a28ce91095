import AppWire
import BelfryWire

// The UnifiedPush distributor, which shares the apps' identities and the memory of pushes with the other parts.
extension AgentParts {
  mutating func onUnifiedPush(_ event: UnifiedPushEvent) {
    switch event {
    case .received(let message) where !pipeline.delivery.isNew(message.id, &context):
      emit(.acknowledge(message.id))
    case .called(var call):
      if !call.isAllowed, let process = call.process, let service = service(of: call.request) {
        call.isAllowed = AppIdentification(configuration: configuration, context: context)
          .isOnBus(process, as: service)
      }
      emit(unifiedPush.handle(.called(call), at: context.now.wall))
    default: emit(unifiedPush.handle(event, at: context.now.wall))
    }
  }

  private func service(of request: UnifiedPushRequest) -> UTF8Text? {
    switch request.action {
    case .register(let registration): registration.service
    case .unregister(let token): unifiedPush.service(of: token)
    }
  }

  mutating func emit(_ effects: [UnifiedPushEffect]) {
    for effect in effects {
      switch effect {
      case .persist(let change): context.persist(change)
      case .acknowledge(let id): emit(.acknowledge(id))
      case .answerTest(let requestID, let rows):
        // The command might have disconnected while it waited for the gateway.
        if context.connections[requestID.connection] != nil {
          context.answer(requestID, .rows(rows))
        }
      case .subscribe, .unsubscribe, .answer, .call, .checkOwner, .hold, .note:
        emit(.unifiedPush(effect))
      }
    }
  }

  /// Ends a registration that a command names by its token.
  mutating func removeSubscription(
    _ requestID: RequestID, _ token: String
  ) throws(AppLinkFailure) {
    guard let effects = unifiedPush.remove(UTF8Text(token), at: context.now.wall) else {
      throw AppLinkFailure(
        .invalidArgument, "no registration has this token: see 'belfry unifiedpush list'")
    }
    emit(effects)
    context.confirm(requestID)
  }
}

extension AppIdentification {
  /// Returns true if a process is the app with this name, although it does not own the name on the bus.
  ///
  /// The rules are those for connections of apps, except that a process cannot choose its ID.
  func isOnBus(_ process: ProcessIdentity, as service: UTF8Text) -> Bool {
    guard let id = AppID(service.string), process.obstacle == nil,
      process.uid == configuration.userID
    else { return false }
    let hello = AppHello(role: .app, appID: id.text, isDevelopment: false, state: .background)
    guard (try? identify(hello, process)) == id else { return false }
    let vouched = [process.sandboxedApp, process.bundleApp, process.unitApp].compactMap(\.self)
    return context.apps[id]?.installation != nil
      || vouched.contains { $0.hasSameBytes(as: id.text) }
  }
}
