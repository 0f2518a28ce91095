import Agent
import BelfryWire
import PushWire

// Orders from `belfry device order`.
extension VirtualDevice {
  /// True if an app of the device is registered.
  var hasTokens: Bool { subjects.contains { !$0.token.isEmpty } }

  /// True if the device has an app, even if the app is not registered.
  var hasApps: Bool { subjects.contains { if case .topic = $0.subject { true } else { false } } }

  func hasToken(_ token: [UInt8]) -> Bool { subjects.contains { $0.token == token } }

  /// Begins to carry out an order; if `token` isn't nil, only for the app with this token.
  ///
  /// Returns the parts to wait for.
  func begin(_ verb: DeviceOrder.Verb, _ token: [UInt8]?) -> [PendingOrder.Part] {
    guard let link else { return [] }
    switch verb {
    case .offline:
      link.goOffline()
      return [part(verb, .isOffline)]
    case .online:
      link.goOnline()
      return [part(verb, .isUp)]
    case .sleep, .wake:
      changeState(
        verb == .sleep ? link.state.union(.asleep) : link.state.subtracting(.asleep))
      return [part(verb, .isReported(ups: ups, pongs: awaitPongs(2)))]
    case .unregister, .register, .disable, .enable:
      return subjects.compactMap { begin(verb, token, $0, link) }
    }
  }

  private func begin(
    _ verb: DeviceOrder.Verb, _ token: [UInt8]?, _ known: Subject, _ link: GatewayConnection
  ) -> PendingOrder.Part? {
    guard case .topic(let topic) = known.subject, verb == .register || !known.token.isEmpty,
      token == nil || known.token == token
    else { return nil }
    let condition: PendingOrder.Part.Condition
    if verb == .unregister {
      link.cancel(known.subject)
      condition = .isUnregistered(known.subject)
    } else if verb == .register {
      if known.token.isEmpty { link.register(known.subject) }
      condition = .isRegistered(known.subject)
    } else {
      link.setEnabled(verb == .enable, topic)
      condition = .isSwitched(known.subject, count: known.switches + 1)
    }
    var result = part(verb, condition, known)
    result.refusals = known.refusals
    return result
  }

  /// Returns the progress of a part of an order.
  func progress(of part: PendingOrder.Part) -> PendingOrder.Progress {
    switch part.condition {
    case .isOffline: return link?.isOffline == true ? .done : .waiting
    case .isUp: return isUp ? .done : .waiting
    case .isReported(let ups, let pongs):
      return self.ups > ups || self.pongs >= pongs ? .done : .waiting
    case .isUnregistered(let subject):
      return progress(of: subject, part) { $0.token.isEmpty }
    case .isRegistered(let subject):
      return progress(of: subject, part) { !$0.token.isEmpty }
    case .isSwitched(let subject, let count):
      return progress(of: subject, part) { $0.switches >= count }
    }
  }

  /// Returns the line that reports a part that has been carried out; the line of a registration contains the new token.
  func line(of part: PendingOrder.Part) -> JSONObject {
    guard case .isRegistered(let subject) = part.condition,
      let known = subjects.first(where: { $0.subject == subject })
    else { return part.line }
    var line = part.line
    line["token"] = .string(Hexadecimal.encode(known.token))
    return line
  }

  private func progress(
    of subject: LinkSubject, _ part: PendingOrder.Part, _ isDone: (Subject) -> Bool
  ) -> PendingOrder.Progress {
    guard let known = subjects.first(where: { $0.subject == subject }) else { return .waiting }
    if known.refusals > part.refusals { return .refused(known.refusal) }
    return isDone(known) ? .done : .waiting
  }

  private func part(
    _ verb: DeviceOrder.Verb, _ condition: PendingOrder.Part.Condition, _ known: Subject? = nil
  ) -> PendingOrder.Part {
    var line: JSONObject = ["event": .string(verb.outcome)]
    line["device"] = number.map(DeviceOrder.number)
    if let known, case .topic(let topic) = known.subject {
      line["topic"] = .string(topic.bundleID)
      line["type"] = .string("\(topic.kind.name)")
      line["token"] = .string(Hexadecimal.encode(known.token))
    }
    return PendingOrder.Part(condition: condition, line: line)
  }
}
