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
      guard let both = try folder.addAuthority(nowSeconds: now / 1_000) else {
        return .failure(
          .init(
            .conflict, "\(folder.authorityFile) contains your own CA certificate",
            do:
              "append the next CA certificate to that file and its key to ca-key.pem, then run "
              + "'systemctl reload belfry-gateway'"))
      }
      try apply([Self.change(both)])
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
      let summary = try summary(present, now)
      let providers = try providers(present, now).former
      guard isForced || summary.waiting + providers == 0 else {
        return .failure(
          .init(
            .conflict,
            "the previous authority is still needed by \(summary.waiting) of "
              + "\(summary.devices) \(summary.devices == 1 ? "device" : "devices") and by "
              + (providers == 1 ? "1 provider certificate" : "\(providers) provider certificates"),
            do:
              "wait for the devices, and create new provider certificates; or lock out the rest with --force"
          ))
      }
      guard let one = try folder.giveUpFormerAuthorities() else {
        return .failure(Self.noAuthority(folder))
      }
      assert(!one.isRotating, "dropping the former authorities ends the rotation")
      try apply([Self.change(one)])
      return .success(try lines(one, now))
    } catch {
      return try Self.broken(error)
    }
  }

  private static func change(_ authorities: Authorities) -> ControlChange {
    .putSetting(name: ControlSetting.authority, value: Array(authorities.keyName.utf8))
  }

  private func summary(
    _ authorities: Authorities, _ now: Int64
  ) throws(StorageFailure) -> DeviceCertificateSummary {
    try store.deviceCertificateSummary(authority: authorities.keyName, atSeconds: now / 1_000)
  }

  /// Returns the number of valid provider certificates that each authority has signed; an expired or revoked
  /// certificate isn't valid.
  private func providers(
    _ authorities: Authorities, _ now: Int64
  ) throws(StorageFailure) -> (former: Int, new: Int) {
    let live = try store.certificates().filter {
      $0.revokedMilliseconds == nil && $0.notAfter > now / 1_000
    }
    let new = live.count { $0.authority == authorities.keyName }
    return authorities.isRotating ? (live.count - new, new) : (0, live.count)
  }

  private func lines(
    _ authorities: Authorities, _ now: Int64
  ) throws(StorageFailure) -> [JSONObject] {
    let summary = try summary(authorities, now)
    let providers = try providers(authorities, now)
    let issuer = authorities.issuer.certificate
    return authorities.trusted.certificates.map { certificate in
      let isIssuer = certificate == issuer
      let devices =
        !authorities.isRotating ? summary.devices : isIssuer ? summary.haveShown : summary.waiting
      let signs =
        !authorities.isRotating ? "all" : isIssuer ? "devices, providers" : "server"
      return [
        "id": .string(certificate.keyName), "name": .string(certificate.commonName),
        "signs": .string(signs), "devices": .integer(Int64(devices)),
        "providers": .integer(Int64(isIssuer ? providers.new : providers.former)),
        "endsAt": .string(Timestamp.rfc3339(unixMilliseconds: certificate.notAfter * 1_000)),
      ]
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
