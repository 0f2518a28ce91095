internal import BelfryWire

/// Scripted answers, which only a running gateway has, and the delivery log.
extension Administration {
  func performFault(_ request: AdministrationRequest) -> AdministrationAnswer {
    guard let runtime else { return .failure(Self.needsRunning("a scripted answer")) }
    switch request {
    case .addFault(let rule):
      guard environment != .production else {
        return .failure(
          .init(
            .conflict, "a production gateway answers by the rules alone",
            do: "script answers on a sandbox gateway"))
      }
      guard runtime.faults.add(rule) else {
        return .failure(
          .init(
            .conflict, "there are \(Limits.faultRulesMax) scripted answers",
            do: "remove them with `belfry fault clear`"))
      }
      return .success([AdministrationLines.line(rule)])
    case .clearFaults:
      let removed = runtime.faults.all
      runtime.faults.clear()
      return .success(removed.map(AdministrationLines.line))
    default:
      return .success(runtime.faults.all.map(AdministrationLines.line))
    }
  }

  func log(of text: String?) -> AdministrationAnswer {
    guard let query = text.map(DeliveryLogQuery.init) ?? .everything else {
      return .failure(
        .init(
          .invalid, "'\(text ?? "")' is neither a device token nor an id",
          do: "give a token in hexadecimal, an apns-id or an apns-unique-id"))
    }
    let lines =
      runtime?.log.lines(of: query)
      ?? KeptDeliveryLog(folder: folder, store: store, environment: environment)
      .lines(of: query, fromLoop: 0)
    return .success(lines.map(AdministrationLines.line))
  }
}
