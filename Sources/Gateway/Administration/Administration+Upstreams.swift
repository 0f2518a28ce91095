internal import BelfryWire
internal import Storage
internal import System
internal import Transport

/// Requests about the upstreams to which the gateway relays pushes.
extension Administration {
  func addUpstream(
    _ new: AdministrationRequest.NewUpstream, _ now: Int64
  ) throws(StorageFailure) -> AdministrationAnswer {
    guard let app = try store.app(bundleID: new.topic) else {
      return .failure(
        .init(
          .missing, "no team has an app \(AdministrationFields.shown(new.topic))",
          do: "add it to a team with 'belfry topic add', and give keys of this team to the senders")
      )
    }
    if let failure = Self.problem(with: new) { return .failure(failure) }
    do {
      // In a cluster, another node might have created the key that this node needs.
      try runtime?.keepSecrets()
      let known = try UpstreamSealer(in: folder)
      let sealer = if let known { known } else { try UpstreamSealer(creatingIn: folder) }
      if known == nil { try runtime?.keepSecrets() }
      let record = UpstreamRecord(
        app: app.number, keyID: new.keyID, teamID: new.teamID,
        sealedKey: try sealer.seal(
          new.privateKeyPEM, app: app.number, keyID: new.keyID, teamID: new.teamID),
        environment: new.environment ?? environment, host: new.host, port: new.port,
        authorityPEM: new.authorityPEM, createdMilliseconds: now)
      try apply([.putUpstream(record)])
      return .success([AdministrationLines.line(record, topic: app.bundleID)])
    } catch let failure as StorageFailure {
      throw failure
    } catch {
      return .failure(.init(.broken, "cannot store the upstream", do: "\(error)"))
    }
  }

  func listUpstreams() throws(StorageFailure) -> AdministrationAnswer {
    let apps = try store.apps()
    var lines: [JSONObject] = []
    for record in try store.upstreams() {
      let topic = apps.first { $0.number == record.app }?.bundleID ?? ""
      var line = AdministrationLines.line(record, topic: topic)
      line["state"] = runtime?.upstreamState(record.app).map { .string($0) }
      lines.append(line)
    }
    return .success(lines)
  }

  func removeUpstream(topic: String) throws(StorageFailure) -> AdministrationAnswer {
    let upstreams = try store.upstreams()
    guard let app = try store.app(bundleID: topic),
      let record = upstreams.first(where: { $0.app == app.number })
    else {
      return .failure(
        .init(
          .missing, "the topic \(AdministrationFields.shown(topic)) has no upstream",
          do: "see 'belfry upstream list'"))
    }
    try apply([.removeUpstream(app: app.number)])
    return .success([AdministrationLines.line(record, topic: app.bundleID)])
  }

  private static func problem(
    with new: AdministrationRequest.NewUpstream
  ) -> AdministrationFailure? {
    for id in [new.keyID, new.teamID] where !AppleIdentifier.isWellFormed(id) {
      return badIdentifier(AdministrationFields.shown(id))
    }
    do {
      _ = try ES256PrivateKey(pkcs8PEM: new.privateKeyPEM)
    } catch {
      // The message must not contain the file's content, which might be a key in another format.
      return .init(
        .invalid, "the key is not an ES256 private key in PKCS #8 format",
        do: "use the .p8 file that Apple issued")
    }
    guard new.port > 0 else {
      return .init(.invalid, "invalid port 0 of the upstream", do: "use a port from 1 to 65535")
    }
    guard new.host.utf8.count <= Limits.upstreamHostBytesMax,
      new.host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") })
    else {
      return .init(
        .invalid, "invalid host '\(AdministrationFields.shown(new.host))' of the upstream",
        do: "use HOST:PORT, such as push.example.org:443")
    }
    guard new.authorityPEM.count <= Limits.upstreamAuthorityBytesMax else {
      return .init(
        .invalid, "the CA file has more than \(Limits.upstreamAuthorityBytesMax) bytes",
        do: "use a file that contains only the upstream's certificate authority")
    }
    guard !new.authorityPEM.isEmpty else { return nil }
    guard !new.host.isEmpty else {
      return .init(.invalid, "--ca applies only to services other than Apple's", do: "add --host")
    }
    do {
      _ = try TLSClientContext(caPEM: new.authorityPEM, alpn: ["h2"])
    } catch {
      return .init(
        .invalid, "the CA file cannot be used: \(error)", do: "use certificates in PEM format")
    }
    return nil
  }
}

extension AdministrationLines {
  /// Returns the line of an upstream, which never contains the private key.
  static func line(_ upstream: UpstreamRecord, topic: String) -> JSONObject {
    [
      "topic": .string(topic), "upstream": .string(upstream.addressText),
      "keyID": .string(upstream.keyID), "teamID": .string(upstream.teamID),
      "environment": .string(upstream.environment.name),
      "createdAt": time(upstream.createdMilliseconds),
    ]
  }
}
