import BelfryProvider
import BelfryWire
import Gateway
import Storage
import System

/// The provider key for the commands that send to a subscription's app.
///
/// The key in `gateway.json` belongs to the gateway's first team, and the app can belong to another team.
enum SubscriptionKey {
  /// The key in `gateway.json`.
  case usual
  /// Another key, whose file is in the gateway's folder.
  case other(id: String, team: String, file: String)
  /// No key, because the folder contains no valid key of the app's team.
  case missing(team: String)

  /// Returns the key for an app of the running gateway in `folder`, or the usual key if the gateway can't be asked.
  static func find(for app: String, of file: GatewayFile, in folder: String) -> SubscriptionKey {
    let access = GatewayAccess(folder: folder)
    guard let apps = try? access.ask(.listTopics),
      let team = apps.first(where: { $0["topic"] == .string(app) })?["team"]?.stringValue,
      !team.hasSameBytes(as: file.teamID)
    else { return .usual }
    let keys = (try? access.ask(.listKeys)) ?? []
    let places = keys.filter { canSend($0, to: app, of: team, in: file.environmentName) }
      .compactMap { $0["id"]?.stringValue }
      .map { (id: $0, file: GatewayFolder(path: folder).keyFile($0)) }
    guard let key = places.first(where: { FileSystem.exists($0.file) }) else {
      return .missing(team: team)
    }
    return .other(id: key.id, team: team, file: key.file)
  }

  /// Returns true if a key of `belfry key list` can send to an app of a team.
  private static func canSend(
    _ key: JSONObject, to app: String, of team: String, in environment: String?
  ) -> Bool {
    guard key["revokedAt"] == nil, key["team"] == .string(team) else { return false }
    let scope = key["environment"]?.stringValue.flatMap(EnvironmentScope.init(name:)) ?? .both
    let own = environment.flatMap(Environment.init(name:))
    guard own.map({ scope.contains($0) }) ?? true else { return false }
    return key["topics"]?.arrayValue?.contains(.string(app)) ?? true
  }
}
