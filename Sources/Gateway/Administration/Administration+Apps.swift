internal import BelfryWire
internal import PushWire
internal import Storage
internal import System

/// Requests about topics, channels, and devices.
extension Administration {
  func addTopic(
    _ new: AdministrationRequest.NewTopic, _ now: Int64
  ) throws(StorageFailure) -> AdministrationAnswer {
    var new = new
    let known = try store.app(bundleID: new.bundleID)
    if new.team.isEmpty { new.team = known?.team ?? "" }
    if let failure = try complete(&new.team) { return .failure(failure) }
    if let failure = try missing(team: new.team) { return .failure(failure) }
    guard Self.isBundleID(new.bundleID) else { return .failure(Self.badBundleID(new.bundleID)) }
    guard new.keep != 0 else {
      return .failure(AdministrationFields.wrong("keep", "0", AdministrationFields.keepRange))
    }
    var app: AppRecord
    if let known {
      guard known.team.hasSameBytes(as: new.team) else {
        return .failure(
          .init(
            .conflict, "the app \(new.bundleID) belongs to team \(known.team)",
            do: "to change the app, specify this team or no team"))
      }
      app = known
    } else {
      var random = SystemRandom.Generator()
      let number = AppRecord.drawNumber(besides: try store.apps(), using: &random)
      app = AppRecord(
        number: number, bundleID: new.bundleID, team: new.team, createdMilliseconds: now)
    }
    app.keep = new.keep ?? app.keep
    app.hasBroadcast = new.hasBroadcast ?? app.hasBroadcast
    try apply([.putApp(app)])
    return .success([AdministrationLines.line(app)])
  }

  /// Removes an app.
  ///
  /// Without `isForced`, this method succeeds only if no device has registered the app.
  func removeTopic(
    _ bundleID: String, isForced: Bool
  ) throws(StorageFailure) -> AdministrationAnswer {
    switch try app(bundleID) {
    case .failure(let failure): return .failure(failure)
    case .success(let app):
      let count = try isForced ? 0 : store.deviceCount(ofApp: app.number)
      guard count == 0 else {
        return .failure(
          .init(
            .conflict,
            "the app \(bundleID) is registered on \(count) \(count == 1 ? "device" : "devices")",
            do: "to remove it anyway, which makes its tokens invalid, use --force"))
      }
      try apply([.removeApp(number: app.number)])
      return .success([AdministrationLines.line(app)])
    }
  }

  private func app(
    _ bundleID: String
  ) throws(StorageFailure) -> Result<AppRecord, AdministrationFailure> {
    guard let app = try store.apps().first(where: { $0.bundleID == bundleID }) else {
      return .failure(
        .init(.missing, "the gateway has no app \(bundleID)", do: "see 'belfry topic list'"))
    }
    return .success(app)
  }

  func listChannels() throws(StorageFailure) -> AdministrationAnswer {
    let names = Dictionary(
      try store.apps().map { ($0.number, $0.bundleID) }, uniquingKeysWith: { first, _ in first })
    return .success(
      try store.channels().map {
        AdministrationLines.line($0, bundleID: names[$0.app] ?? "")
      })
  }

  func addChannel(
    _ bundleID: String, _ keepsLatest: Bool, _ now: Int64
  ) throws(StorageFailure) -> AdministrationAnswer {
    let app: AppRecord
    switch try self.app(bundleID) {
    case .failure(let failure): return .failure(failure)
    case .success(let found): app = found
    }
    guard app.hasBroadcast else {
      return .failure(
        .init(
          .conflict, "broadcasts are off for \(bundleID)",
          do: "turn them on with 'belfry topic add --team \(app.team) \(bundleID) --broadcast on'"))
    }
    guard try store.channels().count(where: { $0.app == app.number }) < Limits.channelsPerAppMax
    else {
      return .failure(
        .init(
          .conflict, "\(bundleID) has \(Limits.channelsPerAppMax) channels",
          do: "remove some with 'belfry channel remove'"))
    }
    let channel = ChannelRecord(
      id: SystemRandom.bytes(16), app: app.number, keepsLatest: keepsLatest,
      createdMilliseconds: now)
    try apply([.putChannel(channel)])
    return .success([AdministrationLines.line(channel, bundleID: bundleID)])
  }

  func removeChannel(
    _ id: String, _ bundleID: String?
  ) throws(StorageFailure) -> AdministrationAnswer {
    let text = Array(id.utf8)
    let names = Dictionary(
      try store.apps().map { ($0.number, $0.bundleID) }, uniquingKeysWith: { first, _ in first })
    guard let bytes = Base64.decode(text.span),
      let channel = try store.channels().first(where: { $0.id == bytes }),
      bundleID == nil || names[channel.app] == bundleID
    else {
      return .failure(
        .init(.missing, "unknown channel \(id)", do: "see 'belfry channel list'"))
    }
    try apply([.removeChannel(id: bytes)])
    return .success([AdministrationLines.line(channel, bundleID: names[channel.app] ?? "")])
  }

  /// Returns the devices whose number, name, or token matches `text`, or all devices if `text` is nil.
  ///
  /// Sets `missingNodes` to the names of the nodes of a cluster that did not answer; their devices are not known to be
  /// connected.
  func listDevices(
    of text: String?, _ missingNodes: inout [String]
  ) throws(StorageFailure) -> AdministrationAnswer {
    let presences: [UInt64: DevicePresence]?
    do throws(AdministrationFailure) {
      let known = try runtime?.presences()
      presences = known?.devices
      missingNodes = known?.missingNodes ?? []
    } catch {
      return .failure(error)
    }
    let name = text?.lowercased()
    let number = text.flatMap { device(ofToken: $0) }
    let devices = try store.devices().filter { device in
      guard let name else { return true }
      return device.number == number || "\(device.number)" == name
        || device.name.lowercased().contains(name)
    }
    let lockedOut = try lockedOutDevices()
    return .success(
      devices.map { device in
        var line = AdministrationLines.line(device, presence: presences.map { $0[device.number] })
        if device.revokedMilliseconds == nil, lockedOut.contains(device.number) {
          line["lockedOut"] = true
        }
        return line
      })
  }

  /// Returns the apps that a device has registered, with their tokens; an app that has unregistered has no token.
  func listApps(ofDevice number: UInt64) throws(StorageFailure) -> AdministrationAnswer {
    guard try store.device(number: number) != nil else {
      return .failure(
        .init(.missing, "unknown device \(number)", do: "see 'belfry device list'"))
    }
    let names = Dictionary(
      try store.apps().map { ($0.number, $0.bundleID) }, uniquingKeysWith: { first, _ in first })
    let codec = tokenCodec
    return .success(
      try store.registrations(ofDevice: number).compactMap { record in
        guard let bundleID = names[record.key.app],
          let kind = TokenKind(rawValue: record.key.kind)  // text: a number
        else { return nil }
        let token = codec?.seal(
          TokenContents(
            environment: environment, kind: kind, generation: record.generation,
            app: record.key.app, device: number))
        return AdministrationLines.line(record, bundleID: bundleID, kind: kind, token: token)
      })
  }

  func revokeDevice(_ number: UInt64, _ now: Int64) throws(StorageFailure) -> AdministrationAnswer {
    guard var device = try store.devices().first(where: { $0.number == number }) else {
      return .failure(
        .init(.missing, "unknown device \(number)", do: "see 'belfry device list'"))
    }
    // Repeat an earlier revocation: its command might have failed before every node had applied the change.
    let revoked = device.revokedMilliseconds ?? now
    device.revokedMilliseconds = revoked
    // Unregister the device's tokens, so that the feedback service reports them to providers, just as a 410 response
    // would.
    try apply([.putDevice(device), .unregisterAll(device: number, atMilliseconds: revoked)])
    return .success([AdministrationLines.line(device)])
  }

  func enrollmentCode() throws(StorageFailure) -> AdministrationAnswer {
    let code = try store.setting(ControlSetting.enrollmentCode) ?? []
    return .success([["code": .string(String(decoding: code, as: UTF8.self))]])
  }

  func rotateEnrollmentCode() throws(StorageFailure) -> AdministrationAnswer {
    let code = FirstIdentity.makeCode()
    try apply([.putSetting(name: ControlSetting.enrollmentCode, value: Array(code.utf8))])
    return .success([["code": .string(code)]])
  }
}
