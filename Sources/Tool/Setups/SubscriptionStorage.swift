import BelfryWire
import Gateway
import System

/// The number of messages that the gateway stores for a subscription while the desktop is off.
///
/// By default, a gateway stores only the newest message for each token, as Apple's service does. For messages from
/// scripts, this would lose the reports of a night.
struct SubscriptionStorage {
  /// The number of messages stored for a new subscription: more than a user reads in the morning.
  static let usualCount: UInt32 = 100

  private let app: ShellApp
  /// True if the agent knew the app before this command.
  private let isKnown: Bool
  /// The number that the user requested.
  private let requestedCount: UInt32?
  /// The gateway whose folder this user can read.
  private let gateway: GatewayAccess?
  /// True if the gateway had the app before this command; nil if the gateway could not be queried.
  private let wasListed: Bool?

  /// Creates the storage of a subscription, before the app is registered with the gateway.
  ///
  /// `folder` is the gateway's folder; nil if the gateway is on another machine.
  init(
    of app: ShellApp, isKnown: Bool, inGateway folder: String?, _ options: CommandLineOptions
  ) throws {
    self.app = app
    self.isKnown = isKnown
    requestedCount = try TopicCommand.keep(options)
    gateway = folder.map { GatewayAccess(folder: $0) }
    let apps = gateway.flatMap { GatewayApps(of: $0) }
    wasListed = apps.map { apps in apps.bundleIDs.contains { $0.hasSameBytes(as: app.id) } }
  }

  /// Changes the number of stored messages, after the app is registered with the gateway.
  ///
  /// A new subscription stores several messages. The number of an existing app changes only if the user requests it.
  func apply() {
    let isNew = wasListed.map { !$0 } ?? !isKnown
    let count = requestedCount ?? (app.isOfShell && isNew ? Self.usualCount : nil)
    guard let count else { return }
    guard let row, let team = row["team"]?.stringValue else { return warn(count) }
    guard requestedCount != nil || row["keep"] == 1 else { return }
    let request = AdministrationRequest.addTopic(
      .init(team: team, bundleID: app.id, keep: count, hasBroadcast: nil))
    do {
      if try gateway?.ask(request) == nil { warn(count) }
    } catch {
      Output.error(error)
      warn(count)
    }
  }

  /// The app as the gateway lists it; nil if the gateway cannot be queried or does not have the app.
  private var row: JSONObject? {
    guard let lines = try? gateway?.ask(.listTopics) else { return nil }
    return lines.first { $0["topic"]?.stringValue?.hasSameBytes(as: app.id) == true }
  }

  private func warn(_ count: UInt32) {
    let words = count == .max ? "all" : "\(count)"
    Output.error(
      "while this device is offline, the gateway might store only the newest message",
      do: "to store more, run 'belfry topic add \(app.id) --keep \(words)' on the gateway's machine"
    )
  }
}
