import BelfryWire

/// The client of apps' `Connector` objects on the session bus (webpush 2.2, 2.3).
struct ConnectorCaller {
  private static let path = "/org/unifiedpush/Connector"
  private static let interface = "org.unifiedpush.Connector"

  typealias Result = (UnifiedPushFailure?) -> Void

  /// Calls an app; `report` is called later, with nil once the app has the call.
  func call(
    _ call: ConnectorCall, on bus: BusConnection, answerSeconds: UInt64,
    _ report: @escaping Result
  ) {
    let service = call.service
    bus.findOwner(of: service.string) { [weak bus] result in
      guard let bus else { return }
      if case .success(let owner) = result, !owner.isEmpty {
        return send(call, on: bus, answerSeconds, report)
      }
      guard call.mayStart, BusName.isWellKnown(service) else {
        return report(.unreachable(why: "the app is not running"))
      }
      bus.startService(service.string, timeoutSeconds: answerSeconds) { [weak bus] result in
        guard let bus else { return }
        switch result {
        case .success: send(call, on: bus, answerSeconds, report)
        case .failure(let failure):
          report(.unreachable(why: "the bus cannot start the app: \(failure)"))
        }
      }
    }
  }

  private func send(
    _ call: ConnectorCall, on bus: BusConnection, _ answerSeconds: UInt64,
    _ report: @escaping Result
  ) {
    let (member, arguments, id) = Self.message(call)
    let interface = Self.interface + String(call.version.rawValue)
    switch call.version {
    case .one:
      do {
        // Version 1 has no answers.
        try bus.send(call.service.string, Self.path, interface, member, arguments)
        report(nil)
      } catch {
        report(.unreachable(why: "\(error)"))
      }
    case .two:
      bus.call(
        call.service.string, Self.path, interface, member, arguments,
        timeoutSeconds: answerSeconds
      ) { result in
        switch result {
        case .success(let values): report(Self.failure(of: values, id))
        case .failure(let failure): report(Self.failure(failure))
        }
      }
    }
  }

  private static func message(_ call: ConnectorCall) -> (String, [BusValue], id: String?) {
    let isSecond = call.version == .two
    switch call.content {
    case .newEndpoint(let token, let endpoint):
      let texts = [("token", token.string), ("endpoint", endpoint.string)]
      return ("NewEndpoint", strings(texts, isSecond), nil)
    case .unregistered(let token):
      return ("Unregistered", strings([("token", token.string)], isSecond), nil)
    case .message(let token, let payload, let id):
      let arguments: [(String, BusValue)] = [
        ("token", .string(token.string)), ("message", .bytes(payload)), ("id", .string(id)),
      ]
      return ("Message", isSecond ? [.vardict(arguments)] : arguments.map(\.1), id)
    }
  }

  private static func strings(_ texts: [(String, String)], _ isSecond: Bool) -> [BusValue] {
    isSecond
      ? [.vardict(texts.map { ($0.0, .string($0.1)) })] : texts.map { .string($0.1) }
  }

  /// Returns the failure if an app's answer to a message does not acknowledge the message's ID; otherwise, nil.
  private static func failure(of values: [BusValue], _ id: String?) -> UnifiedPushFailure? {
    guard let id else { return nil }
    let acknowledged = values.first?["id"]?.stringValue
    guard acknowledged?.hasSameBytes(as: id) == true else {
      return .rejected(why: "the app's answer does not contain the ID of the message")
    }
    return nil
  }

  private static func failure(_ failure: BusFailure) -> UnifiedPushFailure {
    let prefix = "org.freedesktop.DBus.Error."
    let unreachable = [
      "NoReply", "Timeout", "TimedOut", "ServiceUnknown", "NameHasNoOwner", "Disconnected",
    ]
    let isUnreachable =
      unreachable.contains { failure.name.hasSameBytes(as: prefix + $0) }
      || !failure.name.contains(".")
    return isUnreachable ? .unreachable(why: "\(failure)") : .rejected(why: "\(failure)")
  }
}
