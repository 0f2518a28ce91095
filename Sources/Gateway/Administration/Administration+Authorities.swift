internal import BelfryWire
internal import Storage
internal import System
internal import Transport

/// Requests that rotate the certificate authority (docs/decisions/0018).
extension Administration {
  func listAuthorities(_ now: Int64) throws(StorageFailure) -> AdministrationAnswer {
    do {
      guard let authorities = try folder.presentAuthorities() else {
        return .failure(Self.noAuthority(folder))
      }
      return .success(try lines(authorities, now))
    } catch {
      return try Self.broken(error)
    }
  }

  /// Starts a rotation by creating the second authority.
  ///
  /// The gateway notifies devices of the new authority; all other clients need the new `ca.pem`.
  func rotateAuthority(_ now: Int64) throws(StorageFailure) -> AdministrationAnswer {
    do {
      guard let present = try folder.presentAuthorities() else {
        return .failure(Self.noAuthority(folder))
      }
      guard !present.isRotating else {
        return .failure(
          .init(
            .conflict, "the certificate authority is already being rotated",
            do: "run 'belfry ca finish' first"))
      }
      // The files change before the store, so make sure that the store accepts the change.
      try store.probe()
      guard let both = try folder.addAuthority(nowSeconds: now / 1_000) else {
        return .failure(
          .init(
            .conflict, "\(folder.authorityFile) contains your own CA certificate",
            do:
              "append the next CA certificate to that file and its key to ca-key.pem, then run "
              + "'systemctl reload belfry-gateway'"))
      }
      try runtime?.keepSecrets()
      try applyEverywhere([Self.change(both)])
      return .success(try lines(both, now))
    } catch {
      return try Self.broken(error)
    }
  }

  /// Retires the previous authority.
  ///
  /// Without `isForced`, this method succeeds only if nothing depends on that authority.
  func finishAuthority(
    isForced: Bool, _ now: Int64
  ) throws(StorageFailure) -> AdministrationAnswer {
    do {
      guard let present = try folder.presentAuthorities(), present.isRotating else {
        return .failure(
          .init(
            .conflict, "there is only one certificate authority", do: "run 'belfry ca rotate' first"
          ))
      }
      let devices = try deviceCensus(present)
      let providers = try providers(present, now).former.map(\.serial)
      guard isForced || devices.waiting.count + providers.count == 0 else {
        return .failure(Self.stillNeeded(by: devices, providers: providers))
      }
      try store.probe()
      guard let one = try folder.giveUpFormerAuthorities() else {
        return .failure(Self.noAuthority(folder))
      }
      assert(!one.isRotating, "dropping the former authorities ends the rotation")
      try runtime?.keepSecrets()
      try applyEverywhere([Self.change(one)])
      return .success(try lines(one, now))
    } catch {
      return try Self.broken(error)
    }
  }

  private static func change(_ authorities: Authorities) -> ControlChange {
    .putSetting(name: ControlSetting.authority, value: Array(authorities.keyName.utf8))
  }

  /// Returns the failure of a request to retire an authority that devices or provider certificates need.
  private static func stillNeeded(
    by devices: DeviceCensus, providers: [String]
  ) -> AdministrationFailure {
    var needs: [String] = []
    var advice: [String] = []
    if !devices.waiting.isEmpty {
      let names = devices.waiting.map { device in
        device.name.isEmpty ? "\(device.number)" : "\(device.number) \"\(device.name)\""
      }
      needs.append(
        "\(names.count) of \(devices.count) \(devices.count == 1 ? "device" : "devices") "
          + "(\(shortened(names)))")
      advice.append(
        "wait until the devices connect, or revoke those that will not return with "
          + "'belfry device revoke DEVICE'")
    }
    if !providers.isEmpty {
      needs.append(
        "\(providers.count) provider \(providers.count == 1 ? "certificate" : "certificates") "
          + "(\(shortened(providers)))")
      advice.append(
        "replace provider certificates with 'belfry certificate add', and revoke the old ones with "
          + "'belfry certificate revoke SERIAL'")
    }
    return .init(
      .conflict, "the previous authority is still needed by \(needs.joined(separator: " and by "))",
      do: advice.joined(separator: "; ") + "; or lock out the rest with --force")
  }

  /// The devices that are not revoked, grouped by the authorities of their certificates.
  private struct DeviceCensus {
    /// The number of devices that have presented a certificate from the authority that signs device certificates.
    var readyCount = 0
    /// The devices that can connect, but have not presented a certificate from that authority.
    var waiting: [DeviceRecord] = []
    /// The number of devices that cannot connect, because only authorities that were removed have signed their
    /// certificates.
    var lockedOutCount = 0

    /// The number of devices that can connect.
    var count: Int { readyCount + waiting.count }
  }

  /// Returns the lines of the provider certificates; marks those that only authorities that were removed have signed.
  func certificateLines() throws(StorageFailure) -> [JSONObject] {
    let trust = (try? folder.presentAuthorities()).map(AuthorityTrust.init)
    return try store.certificates().map { certificate in
      var line = AdministrationLines.line(certificate)
      if let trust, !trust.includes(certificate.authority) { line["authorityRetired"] = true }
      return line
    }
  }

  /// Returns the numbers of the devices that cannot connect, because only authorities that were removed have signed
  /// their certificates; empty if the folder's authorities can't be read.
  func lockedOutDevices() throws(StorageFailure) -> Set<UInt64> {
    guard let authorities = try? folder.presentAuthorities() else { return [] }
    let trust = AuthorityTrust(authorities)
    var (known, able): (Set<UInt64>, Set<UInt64>) = ([], [])
    for certificate in try store.deviceCertificates() {
      known.insert(certificate.device)
      if trust.includes(certificate.authority) { able.insert(certificate.device) }
    }
    return known.subtracting(able)
  }

  /// Returns the devices that are not revoked, grouped by the authorities of their certificates.
  private func deviceCensus(_ authorities: Authorities) throws(StorageFailure) -> DeviceCensus {
    let trust = AuthorityTrust(authorities)
    var (known, able, ready): (Set<UInt64>, Set<UInt64>, Set<UInt64>) = ([], [], [])
    for certificate in try store.deviceCertificates() {
      known.insert(certificate.device)
      if trust.includes(certificate.authority) { able.insert(certificate.device) }
      if certificate.isShown, certificate.authority == authorities.keyName {
        ready.insert(certificate.device)
      }
    }
    assert(ready.isSubset(of: able), "the authority that signs device certificates is trusted")
    var census = DeviceCensus()
    for device in try store.devices() where device.revokedMilliseconds == nil {
      if ready.contains(device.number) {
        census.readyCount += 1
      } else if known.contains(device.number), !able.contains(device.number) {
        census.lockedOutCount += 1
      } else {
        census.waiting.append(device)
      }
    }
    return census
  }

  /// Returns the valid provider certificates that the former authority has signed, and the number of those that the new
  /// authority has signed; an expired or revoked certificate isn't valid.
  private func providers(
    _ authorities: Authorities, _ now: Int64
  ) throws(StorageFailure) -> (former: [CertificateRecord], new: Int) {
    // A certificate whose authority was removed no longer gives access, so no authority counts it.
    let trust = AuthorityTrust(authorities)
    let live = try store.certificates().filter {
      $0.revokedMilliseconds == nil && $0.notAfter > now / 1_000 && trust.includes($0.authority)
    }
    guard authorities.isRotating else { return ([], live.count) }
    let former = live.filter { $0.authority != authorities.keyName }
    return (former, live.count - former.count)
  }

  private func lines(
    _ authorities: Authorities, _ now: Int64
  ) throws(StorageFailure) -> [JSONObject] {
    let census = try deviceCensus(authorities)
    let providers = try providers(authorities, now)
    let issuer = authorities.issuer.certificate
    return authorities.trusted.certificates.map { certificate in
      let isIssuer = certificate == issuer
      let devices =
        !authorities.isRotating ? census.count : isIssuer ? census.readyCount : census.waiting.count
      let signs =
        !authorities.isRotating ? "all" : isIssuer ? "devices, providers" : "server"
      var line: JSONObject = [
        "id": .string(certificate.keyName), "name": .string(certificate.commonName),
        "signs": .string(signs), "devices": .integer(Int64(devices)),
        "providers": .integer(Int64(isIssuer ? providers.new : providers.former.count)),
        "endsAt": .string(Timestamp.rfc3339(unixMilliseconds: certificate.notAfter * 1_000)),
      ]
      if isIssuer { line["lockedOut"] = .integer(Int64(census.lockedOutCount)) }
      return line
    }
  }

  static func noAuthority(_ folder: GatewayFolder) -> AdministrationFailure {
    .init(
      .missing, "no certificate authority in \(folder.path)",
      do: "start the gateway once with 'belfry gateway'"
    )
  }

  /// Rethrows a storage failure; converts any other error into an answer.
  static func broken(_ error: any Error) throws(StorageFailure) -> AdministrationAnswer {
    if let failure = error as? StorageFailure { throw failure }
    return .failure(.init(.broken, "cannot change the keys in the folder", do: "\(error)"))
  }
}
