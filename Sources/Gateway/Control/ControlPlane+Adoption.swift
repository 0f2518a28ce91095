import BelfryWire
import PushWire
import Storage
import System

/// The adoption of apps that devices register.
extension ControlPlane {
  /// Adopts an app.
  ///
  /// With `--apps adopt`, an app exists once a device registers it, and it belongs to the first team.
  func adopt(
    _ session: SessionID, request: UInt16, _ topic: LinkTopic, device: UInt64, route: Route
  ) {
    do throws(StorageFailure) {
      if let refusal = try adopt(topic.bundleID, for: device) {
        if refusal == .unknownApp {
          log.info(
            "refused an app that is not listed: to allow it, run 'belfry topic add'",
            ["device": "\(device)", "app": topic.bundleID])
        }
        answer(route, .refused(session, request: request, refusal))
      } else {
        answer(route, .adopted(session, request: request, topic, device: device))
      }
    } catch {
      log.storeFailure("cannot adopt an app", error)
      answer(route, .refused(session, request: request, .tryLater))
    }
  }

  /// Makes the app known to every loop.
  ///
  /// Returns nil on success; otherwise, the reason for the refusal.
  private func adopt(_ bundleID: String, for device: UInt64) throws(StorageFailure) -> LinkRefusal?
  {
    let name = Array(bundleID.utf8)
    // A loop whose directory lacks the app would repeat its request endlessly.
    if published?.app(bundleID: name.span) != nil { return nil }
    if try store.app(bundleID: bundleID) != nil { return publishDirectory() ? nil : .tryLater }
    if store.damage.mayHave(.bundle(bundleID)) || store.damage.has(table: "team") {
      return .tryLater
    }
    guard configuration.apps == .adopt, let team = try firstTeam() else { return .unknownApp }
    guard TopicParts.isWellFormed(name.span) else { return .badTopic }
    // The new app's number must differ from the numbers in the directory, so the directory must contain every app.
    guard !isRetryScheduled || publishDirectory(), let published else { return .tryLater }
    guard adoptions[device, default: 0] < Limits.adoptionsPerDeviceMax else {
      log.warning(
        "refused an app of a device that registers more apps than allowed", ["device": "\(device)"])
      return .tooMany
    }
    guard adoptions.values.reduce(0, +) < Limits.adoptionsMax else {
      log.warning(
        "too many adopted apps: refusing new ones; add them with 'belfry topic add', or remove some",
        ["device": "\(device)", "allowed": "\(Limits.adoptionsMax)"])
      return .tooMany
    }
    guard Limits.adoptionRate.admits(&nextAdoption, at: loop.nowNanoseconds) else {
      log.warning(
        "devices register new apps faster than --apps adopt allows: they retry; add apps with 'belfry topic add'",
        ["device": "\(device)"])
      return .tryLater
    }
    let record = AppRecord(
      number: AppRecord.drawNumber(using: &random) { published.app(number: $0) != nil },
      bundleID: bundleID, team: team, createdMilliseconds: loop.unixMilliseconds, adopter: device)
    try store.apply([.putApp(record)])
    announceChange()
    adoptions[device, default: 0] += 1
    log.info("added an app that a device registered", ["app": bundleID, "team": team])
    directoryVersion += 1
    publish(
      published.adding(App(record, teamRate: rate(ofTeam: team)), version: directoryVersion))
    return nil
  }

  /// Returns the ID of the first team, to which adopted apps belong.
  private func firstTeam() throws(StorageFailure) -> String? {
    if adoptingTeam == nil { adoptingTeam = try store.teams().first?.id }
    return adoptingTeam
  }
}
