import BelfryWire
import Glibc
import System

extension LinuxMachine {
  /// Creates the distributor's service, unless the user turned it off.
  func makeUnifiedPush() -> UnifiedPushService? {
    guard configuration.servesUnifiedPush, configuration.usesSessionBus else { return nil }
    let flatpak = FlatpakInstances(ofUser: getuid())
    return UnifiedPushService(
      log: log.child("unifiedpush"),
      inspect: { ProcessInspector.inspect(process: $0, flatpak) },
      findService: { [weak self] in self?.daemon?.model.unifiedPushService(of: $0) },
      isRegistered: { [weak self] in self?.daemon?.model.hasUnifiedPushApp($0) ?? false },
      report: { [weak self] in self?.handle(.unifiedPush($0)) })
  }

  /// Carries out an effect of the distributor.
  func carryOut(_ effect: UnifiedPushEffect) {
    switch effect {
    case .subscribe(let subject): receiver?.subscribe(subject)
    case .unsubscribe(let subject): receiver?.unsubscribe(subject)
    case .answer(let call, let answer): unifiedPush?.answer(call, answer)
    case .call(let call): unifiedPush?.call(call)
    case .checkOwner(let name): unifiedPush?.checkOwner(name)
    case .hold(let hold, let milliseconds):
      loop.schedule(afterNanoseconds: milliseconds * 1_000_000) { [weak self] in
        self?.handle(.unifiedPush(.holdEnded(hold)))
      }
    case .note(let note): write(note)
    case .persist, .acknowledge, .answerTest:
      assertionFailure("the model passed on an effect that it translates itself")
    }
  }

  private func write(_ note: UnifiedPushNote) {
    let log = log.child("unifiedpush")
    switch note {
    case .noWebPush(let app):
      log.warning(
        "an app cannot register, because the gateway has no Web Push service: start the gateway with "
          + "--web-push-port", ["app": app.string])
    case .noGateway(let app, let isOff):
      log.warning(
        "an app cannot register, because this device has no gateway: start the agent "
          + (isOff ? "without --gateway none" : "with --gateway"), ["app": app.string])
    case .unauthorized(let app):
      log.warning(
        "refused a call, because the program does not own the app's bus name and is not the app: start the app "
          + "from its desktop file, or request the name before the call",
        ["app": app.string])
    case .tokenInUse(let app):
      log.warning(
        "refused a registration, because its token belongs to another app: see 'belfry unifiedpush list'",
        ["app": app.string])
    case .tooMany(let app):
      log.warning(
        "an app cannot register, because there are too many registrations: remove some with 'belfry "
          + "unifiedpush remove'", ["app": app.string])
    case .refusedByGateway(let app, let refusal):
      log.warning(
        "the gateway refused to register an app: check the gateway's log",
        ["app": app.string, "why": "\(refusal)"])
    case .endpointTooLong(let app):
      log.error(
        "an app cannot register, because its endpoint is too long: use a shorter --web-push-origin",
        ["app": app.string])
    case .appGone(let app):
      log.info("ended the registrations of an uninstalled app", ["app": app.string])
    case .displaced(let app):
      log.info(
        "ended a registration of a program that is no longer connected, because there are too many",
        ["app": app.string])
    case .messagesDropped(let app, let count):
      log.warning(
        "dropped the oldest messages of an app that does not receive its messages",
        ["app": app.string, "count": String(count)])
    case .emptyMessage(let app):
      log.info("dropped a message without content", ["app": app.string])
    case .notDelivered(let app, .rejected(let why)), .notDelivered(let app, .unreachable(let why)):
      log.info("an app did not receive a message", ["app": app.string, "why": why])
    case .damagedRecord(let collection, let key):
      log.warning(
        "ignoring a damaged record", ["collection": collection.rawValue, "record": key])
    }
  }
}
