internal import PushWire
internal import BelfryWire
internal import Storage
internal import System

/// The output lines of each kind of record.
///
/// The keys are stable; a key without a value is omitted.
enum AdministrationLines {
  static func line(_ team: TeamRecord) -> JSONObject {
    [
      "id": .string(team.id), "name": .string(team.name),
      "createdAt": time(team.createdMilliseconds),
    ]
  }

  static func line(_ key: KeyRecord) -> JSONObject {
    var line: JSONObject = [
      "id": .string(key.id), "team": .string(key.team),
      "environment": .string(key.environments.name),
    ]
    if !key.topics.isEmpty { line["topics"] = .array(key.topics.map { .string($0) }) }
    line["related"] = key.relatedKey.map { .string($0) }
    line["createdAt"] = time(key.createdMilliseconds)
    line["revokedAt"] = key.revokedMilliseconds.map(time)
    return line
  }

  /// Returns the line of a key with its budget, and with the number of relayed pushes that it has used today.
  static func line(
    _ key: KeyRecord, budget: BudgetRecord?, atMilliseconds now: Int64
  ) -> JSONObject {
    var line = line(key)
    guard let budget else { return line }
    line["perDay"] = budget.perDay.map { .integer($0) }
    line["perSecond"] = budget.perSecond.map { .integer(Int64($0)) }
    if let perDay = budget.perDay {
      let used = budget.day < now / 86_400_000 ? 0 : min(budget.used, perDay)
      line["usedToday"] = .integer(used)
    }
    return line
  }

  static func line(_ certificate: CertificateRecord) -> JSONObject {
    var line: JSONObject = [
      "serial": .string(certificate.serial), "team": .string(certificate.team),
      "topic": .string(certificate.bundleID),
      "environment": .string(certificate.environments.name),
      "form": .string(certificate.isUniversal ? "universal" : "uid"),
      "expiresAt": time(certificate.notAfter * 1_000),
      "createdAt": time(certificate.createdMilliseconds),
    ]
    line["revokedAt"] = certificate.revokedMilliseconds.map(time)
    return line
  }

  static func line(_ app: AppRecord) -> JSONObject {
    [
      "topic": .string(app.bundleID), "team": .string(app.team),
      "number": .integer(Int64(app.number)),
      "keep": app.keep == .max ? "all" : .integer(Int64(app.keep)),
      "broadcast": .bool(app.hasBroadcast), "createdAt": time(app.createdMilliseconds),
    ]
  }

  static func line(_ channel: ChannelRecord, bundleID: String) -> JSONObject {
    [
      "channel": .string(Base64.encode(channel.id, url: false)), "app": .string(bundleID),
      "storage": .integer(channel.keepsLatest ? 1 : 0),
      "createdAt": time(channel.createdMilliseconds),
    ]
  }

  /// Returns the line of a device.
  ///
  /// For a running gateway, the line also shows whether the device is connected and, if the device has been connected
  /// since the gateway started, the time at which it was last connected.
  static func line(_ device: DeviceRecord, presence: DevicePresence??) -> JSONObject {
    var line = line(device)
    guard let presence else { return line }
    line["up"] = .bool(presence?.isUp ?? false)
    line["lastSeenAt"] = presence.map { time($0.lastSeenMilliseconds) }
    return line
  }

  static func line(_ device: DeviceRecord) -> JSONObject {
    var line: JSONObject = ["device": number(device.number)]
    if !device.name.isEmpty { line["name"] = .string(device.name) }
    line["enrolledAt"] = time(device.enrolledMilliseconds)
    line["revokedAt"] = device.revokedMilliseconds.map(time)
    return line
  }

  /// Returns the line of an app that a device has registered.
  static func line(
    _ registration: RegistrationRecord, bundleID: String, kind: TokenKind, token: [UInt8]?
  ) -> JSONObject {
    let state =
      switch registration.state {
      case .active: "active"
      case .disabled: "disabled"
      case .unregistered: "unregistered"
      }
    var line: JSONObject = [
      "topic": .string("\(bundleID)\(kind.topicSuffix)"), "kind": .string("\(kind.name)"),
      "state": .string(state),
    ]
    if registration.state != .unregistered {
      line["token"] = token.map { .string(Hexadecimal.encode($0)) }
    }
    line["changedAt"] = time(registration.changedMilliseconds)
    return line
  }

  static func line(_ fault: ScriptedFault) -> JSONObject {
    var line: JSONObject = ["id": .integer(Int64(clamping: fault.id))]
    line.merge(self.line(fault.rule))
    line["remaining"] = fault.remaining.map { .integer(Int64($0)) }
    return line
  }

  static func line(_ rule: FaultRule) -> JSONObject {
    var line = JSONObject()
    line["token"] = rule.token.map { .string(Hexadecimal.encode($0)) }
    line["topic"] = rule.topic.map { .string($0) }
    switch rule.effect {
    case .answer(let rejection, let timestamp, let share):
      line["reason"] = .string(rejection.reason)
      line["timestamp"] = timestamp.map { .integer($0) }
      if share < 1 { line["share"] = .double(share) }
    case .goAway(let requests): line["goawayAfter"] = .integer(Int64(requests))
    case .streams(let count): line["streams"] = .integer(Int64(count))
    case .window(let bytes): line["window"] = .integer(Int64(bytes))
    case .delay(let milliseconds): line["delay"] = .integer(Int64(milliseconds))
    case .close: line["close"] = true
    }
    line["times"] = rule.times.map { .integer(Int64($0)) }
    return line
  }

  static func line(_ entry: DeliveryLogLine) -> JSONObject {
    var line: JSONObject = [
      "at": time(entry.atMilliseconds), "state": .string(entry.state),
    ]
    line["status"] = entry.status.map { .integer(Int64($0)) }
    line["reason"] = entry.reason.map { .string($0) }
    line["apnsID"] = .string(entry.id.text)
    line["uniqueID"] = entry.uniqueID.map { .string($0.text) }
    if entry.device != 0 { line["device"] = number(entry.device) }
    if !entry.topic.isEmpty { line["topic"] = .string(entry.topic) }
    line["pushType"] = entry.pushType.map { .string("\($0.name)") }
    return line
  }

  static func time(_ milliseconds: Int64) -> JSONValue {
    .string(Timestamp.rfc3339(unixMilliseconds: milliseconds))
  }

  private static func number(_ device: UInt64) -> JSONValue {
    Int64(exactly: device).map { .integer($0) } ?? .string("\(device)")
  }
}
