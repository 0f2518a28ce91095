import BelfryWire

// The state that commands show.
extension UnifiedPush {
  /// The registrations as `belfry unifiedpush list` prints them.
  var rows: [JSONObject] {
    tokens.keys.compactMap { token in
      guard let one = subscription(of: token) else { return nil }
      return (one, messages.values.count { $0.token == token })
    }.sorted { (one: (PushSubscription, Int), other: (PushSubscription, Int)) in
      (one.0.service, one.0.token) < (other.0.service, other.0.token)
    }.map { one, waiting in
      [
        "service": .string(one.service.string),
        "description": .string(one.request.description.string),
        "token": .string(one.token.string), "version": .integer(one.version.rawValue),
        "vapid": .string(one.request.vapid.string), "waiting": .integer(Int64(waiting)),
        "endpoint": one.endpoint.map { .string($0.string) } ?? .null,
      ]
    }
  }

  /// The finding of `belfry doctor`.
  var finding: Finding {
    var finding = Finding(
      feature: "UnifiedPush", isFine: false, isOptional: true, detail: "", advice: "")
    let count = registrationCount == 1 ? "1 registration" : "\(registrationCount) registrations"
    let waiting = messages.count == 1 ? "1 message waits" : "\(messages.count) messages wait"
    switch (service, link) {
    case (.notServed(.off), _):
      finding.isLack = false
      finding.detail = "off"
      finding.advice = "start the agent in a desktop session, without --unifiedpush off"
    case (.notServed(.noBus), _):
      finding.detail = "no session bus, so no app can register"
      finding.advice = "start the agent in a desktop session"
    case (.notServed(.nameTaken), _):
      finding.detail = "another program owns \(UnifiedPushService.name)"
      finding.advice = "stop the other agent of this session, then start this one again"
    case (.served, .noGateway):
      finding.detail = "no gateway, so no app can register"
      finding.advice = "see the line about the gateway"
    case (.served, .up(let origin)) where origin.isEmpty:
      finding.detail = "the gateway has no Web Push service, so no app can register"
      finding.advice = "start the gateway with --web-push-port"
    case (.served, .down), (.served, .up):
      finding.isFine = true
      finding.detail = messages.isEmpty ? count : "\(count), \(waiting) for an app"
    }
    return finding
  }

  /// The steps of `belfry unifiedpush test`, up to the first that failed.
  ///
  /// `isFull` is true if there is no room for another subscription.
  func testRows(endpoint: UTF8Text?, isFull: Bool = false) -> [JSONObject] {
    func row(_ step: String, _ isFine: Bool, _ detail: String) -> JSONObject {
      [
        "step": .string(step), "state": isFine ? "ok" : "failed", "detail": .string(detail),
      ]
    }
    switch service {
    case .served: break
    case .notServed(.off):
      return [
        row("bus", false, "the distributor is off: start the agent without --unifiedpush off")
      ]
    case .notServed(.noBus):
      return [row("bus", false, "no session bus: start the agent in a desktop session")]
    case .notServed(.nameTaken):
      return [
        row("bus", false, "another program owns \(UnifiedPushService.name): stop the other agent")
      ]
    }
    var rows = [row("bus", true, "owns \(UnifiedPushService.name)")]
    let origin: UTF8Text
    switch link {
    case .noGateway:
      rows.append(
        row("gateway", false, "no gateway: start the agent with --gateway, or see 'belfry doctor'"))
      return rows
    case .down:
      rows.append(
        row("gateway", false, "the gateway cannot be reached: check it with 'belfry doctor'"))
      return rows
    case .up(let known): origin = known
    }
    rows.append(row("gateway", true, "connected"))
    guard !origin.isEmpty else {
      rows.append(
        row("service", false, "the gateway has no Web Push service: start it with --web-push-port"))
      return rows
    }
    rows.append(row("service", true, origin.string))
    if let endpoint {
      rows.append(row("subscription", true, endpoint.string))
    } else if isFull {
      rows.append(
        row(
          "subscription", false,
          "there are too many registrations: remove some with 'belfry unifiedpush remove'"))
    } else {
      rows.append(
        row(
          "subscription", false,
          "the gateway issued no endpoint in time: check the gateway and its log"))
    }
    return rows
  }
}
