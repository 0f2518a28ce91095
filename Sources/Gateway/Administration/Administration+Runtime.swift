internal import PushWire
public import BelfryWire
internal import Storage

/// Requests about scripted answers and the delivery log.
extension Administration {
  func performFault(
    _ request: AdministrationRequest
  ) throws(StorageFailure) -> AdministrationAnswer {
    let kept = StoredFaults(store: store)
    var (faults, lastID) = try kept.faults()
    // Prefer a running gateway's rules to the stored ones: the gateway counts each use immediately but stores the
    // counts later.
    if let runtime, environment != .production { faults = runtime.faults.all }
    switch request {
    case .addFault(let rule):
      guard environment != .production else {
        return .failure(
          .init(
            .conflict, "a production gateway does not allow faults",
            do: "use a sandbox gateway"))
      }
      guard faults.count < Limits.faultRulesMax else {
        return .failure(
          .init(
            .conflict, "the limit of \(Limits.faultRulesMax) faults is reached",
            do: "remove them with 'belfry fault clear'"))
      }
      let fault = ScriptedFault(id: lastID + 1, rule)
      try kept.keep(faults + [fault], lastID: fault.id)
      runtime?.faults.add(fault)
      return .success([AdministrationLines.line(fault)])
    case .removeFault(let id):
      guard let fault = faults.first(where: { $0.id == id }) else {
        return .failure(
          .init(
            .missing, "unknown fault \(id)", do: "see 'belfry fault list'"))
      }
      try kept.keep(faults.filter { $0.id != id }, lastID: lastID)
      runtime?.faults.remove([id])
      return .success([AdministrationLines.line(fault)])
    case .clearFaults(let token):
      let cleared = faults.filter { token == nil || $0.rule.token == token }
      let ids = Set(cleared.map(\.id))
      try kept.keep(faults.filter { !ids.contains($0.id) }, lastID: lastID)
      runtime?.faults.remove(ids)
      return .success(cleared.map(AdministrationLines.line))
    default:
      return .success(faults.map(AdministrationLines.line))
    }
  }

  func log(of text: String?) -> AdministrationAnswer {
    do throws(AdministrationFailure) {
      return .success(try lines(of: Self.logQuery(text)).map(AdministrationLines.line))
    } catch {
      return .failure(error)
    }
  }

  /// Returns the lines of the delivery log that match `query`, oldest first, from the running gateway or from the files
  /// of a stopped one.
  func lines(
    of query: DeliveryLogQuery
  ) throws(AdministrationFailure) -> [DeliveryLogLine] {
    try runtime?.log.lines(of: query)
      ?? StoredDeliveryLog(folder: folder, store: store, environment: environment)
      .lines(of: query, fromLoop: 0)
  }

  /// Returns the payload of the push whose `apns-id` or `apns-unique-id` is `text`.
  public func payload(of text: String?) throws(AdministrationFailure) -> JSONObject {
    guard case .notification(let id)? = text.flatMap(DeliveryLogQuery.init) else {
      throw AdministrationFields.wrong("id", text ?? "", "an apns-id or an apns-unique-id")
    }
    guard let payloads = runtime?.payloads else {
      throw AdministrationFailure(
        .missing, "the gateway does not keep payloads", do: "start it with '--log-payloads N'")
    }
    guard let entry = payloads.entry(of: id) else {
      throw AdministrationFailure(
        .missing, "the payload of \(id.text) is not available",
        do:
          "the gateway keeps only the newest \(payloads.countMax) since it started; "
          + "change the number with '--log-payloads N'"
      )
    }
    var line: JSONObject = ["apnsID": .string(entry.id.text)]
    line["uniqueID"] = entry.uniqueID.map { .string($0.text) }
    line["payload"] = .string(String(decoding: entry.payload, as: UTF8.self))
    return line
  }

  /// Converts a device token or an ID to a query for the delivery log; nil matches every line.
  static func logQuery(_ text: String?) throws(AdministrationFailure) -> DeliveryLogQuery {
    guard let query = text.map(DeliveryLogQuery.init) ?? .everything else {
      throw AdministrationFailure(
        .invalid, "'\(text ?? "")' is neither a device token nor an id",
        do: "enter a device token, an apns-id or an apns-unique-id")
    }
    return query
  }
}
