internal import BelfryWire
internal import Storage

extension Administration {
  /// Removes a team.
  ///
  /// If the team has keys, certificates, or apps, this method succeeds only with `isForced`, which revokes the keys and
  /// certificates and removes the apps too.
  ///
  /// The first team can't be removed: clients read it from `gateway.json`, and apps that devices register belong to it.
  func removeTeam(_ id: String, isForced: Bool) throws(StorageFailure) -> AdministrationAnswer {
    let teams = try store.teams()
    guard let team = teams.first(where: { $0.id == id }) else {
      return .failure(Self.unknown(team: id, among: teams, do: "see 'belfry team list'"))
    }
    guard id != teams.first?.id else {
      return .failure(
        .init(
          .conflict,
          "team \(id) is the team that the gateway created at its first start: gateway.json contains its ID, and it "
            + "owns the apps that devices register",
          do: "revoke its keys and certificates and remove its apps instead"))
    }
    let apps = try store.apps().filter { $0.team == id }
    let keys = try store.keys().filter { $0.team == id && $0.revokedMilliseconds == nil }
    let certificates = try store.certificates().filter {
      $0.team == id && $0.revokedMilliseconds == nil
    }
    let rest = [
      Self.listed(apps.map(\.bundleID), "app", "apps"),
      Self.listed(keys.map(\.id), "key that is not revoked", "keys that are not revoked"),
      Self.listed(
        certificates.map(\.serial), "certificate that is not revoked",
        "certificates that are not revoked"),
    ].compactMap { $0 }
    guard rest.isEmpty || isForced else {
      return .failure(
        .init(
          .conflict, "team \(id) has \(rest.joined(separator: ", "))",
          do: "remove and revoke them first, or all at once with 'belfry team remove \(id) --force'"
        ))
    }
    // The gateway refuses a key or certificate without a record, just as it refuses a revoked one.
    try apply(apps.map { .removeApp(number: $0.number) } + [.removeTeam(id: id)])
    return .success([AdministrationLines.line(team)])
  }

  /// Returns a count followed by names, such as "2 apps (a, b)"; nil if there are no names.
  private static func listed(_ names: [String], _ one: String, _ many: String) -> String? {
    guard !names.isEmpty else { return nil }
    return "\(names.count) \(names.count == 1 ? one : many) (\(shortened(names)))"
  }

  /// Returns the first names, separated by commas, followed by the number of the others, such as ", and 2 more".
  static func shortened(_ names: [String]) -> String {
    let shown = names.prefix(Limits.namesInRefusal).joined(separator: ", ")
    let rest = names.count - min(names.count, Limits.namesInRefusal)
    return rest > 0 ? "\(shown), and \(rest) more" : shown
  }
}
