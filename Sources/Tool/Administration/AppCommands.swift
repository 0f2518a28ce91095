import BelfryWire
import Gateway
import Glibc
import System

/// `belfry topic`: manages the apps that a team owns.
enum TopicCommand {
  static let noun = AdministrationNoun(
    name: "topic",
    verbs: [
      AdministrationVerb(
        "topic", "add", "Adds an app to a team, or updates the app.",
        positionals: "BUNDLE-ID", positionalCount: 1...1,
        options: [
          .value(
            "team", "ID", default: "the team of the app; for a new app, the only team",
            "the team that owns the app"),
          .value(
            "broadcast", "on|off", default: "off for a new app", "allow broadcast channels"),
          .value(
            "keep", "1|N|all", default: "1 for a new app",
            "number of undelivered notifications stored per token"),
        ], columns: ["topic"]
      ) { options in
        let broadcast = try options.choice("broadcast", of: ["on", "off"])
        return .addTopic(
          .init(
            team: options.value("team") ?? "", bundleID: options.positionals[0],
            keep: try keep(options), hasBroadcast: broadcast.map { $0 == "on" }))
      },
      AdministrationVerb(
        "topic", "list", "Lists the apps.", columns: ["topic", "team", "keep", "broadcast"],
        listing: "apps"
      ) { _ in .listTopics },
      AdministrationVerb(
        "topic", "remove",
        "Removes an app and its channels, registrations and stored notifications. All of its tokens become invalid, "
          + "and this cannot be undone.",
        positionals: "BUNDLE-ID", positionalCount: 1...1,
        options: [
          .flag(
            "force",
            "remove the app even if devices have registered it; without a terminal, this is the default"
          )
        ],
        columns: ["topic"]
      ) { options in
        // Refuse only on a terminal, so that existing scripts keep working.
        let isForced = options.has("force") || isatty(STDIN_FILENO) != 1
        return .removeTopic(bundleID: options.positionals[0], isForced: isForced)
      },
    ])

  /// Returns the value of `--keep`; nil without this option.
  static func keep(_ options: CommandLineOptions) throws -> UInt32? {
    if options.value("keep") == "all" { return .max }
    guard let text = options.value("keep") else { return nil }
    guard let count = UInt32(text), (1..<UInt32.max).contains(count) else {
      throw CommandLineOptions.Problem.badValue(
        key: "keep", value: text, wanted: "a number from 1 to \(UInt32.max - 1), or all")
    }
    return count
  }
}

/// `belfry channel`: manages the channels for broadcasts to Live Activities.
enum ChannelCommand {
  static let noun = AdministrationNoun(
    name: "channel",
    verbs: [
      AdministrationVerb(
        "channel", "add", "Creates a channel for an app and prints the channel ID.",
        options: [
          .value(
            "app", "BUNDLE-ID", alias: "topic", isRequired: true, "the app that owns the channel"),
          .value(
            "storage", "0|1", default: "0",
            "0: store no messages; 1: store the newest message for offline devices"),
        ], columns: ["channel"]
      ) { options in
        let storage = try options.choice("storage", of: ["0", "1"])
        return .addChannel(
          bundleID: try options.required("app"), keepsLatest: storage == "1")
      },
      AdministrationVerb(
        "channel", "list", "Lists the channels.",
        columns: ["channel", "app", "storage", "createdAt"]
      ) { _ in .listChannels },
      AdministrationVerb(
        "channel", "remove", "Removes a channel and its subscriptions.", positionals: "ID",
        positionalCount: 1...1,
        options: [.value("app", "BUNDLE-ID", alias: "topic", "the app that owns the channel")],
        columns: ["channel"]
      ) { .removeChannel(id: $0.positionals[0], bundleID: $0.value("app")) },
    ])
}

/// `belfry device list`, `revoke`, and `code`: manages enrolled devices and the enrollment code; `DeviceCommand`
/// implements `run`.
enum DeviceAdministration {
  static let noun = AdministrationNoun(
    name: "device",
    verbs: [
      AdministrationVerb(
        "device", "list",
        "Lists the enrolled devices. The time at which a device was last seen is not stored, so it is known only if the "
          + "device has been connected since the gateway started. The state is 'locked out' if the certificate authority "
          + "that signed the device's certificate was retired.",
        options: [.flag("valid", "omit the devices that are revoked or locked out")],
        columns: ["device", "name", "up", "lastSeenAt", "enrolledAt", "revokedAt", "state"],
        shown: { device in
          var device = device
          if device["lockedOut"] != nil { device["state"] = "locked out" }
          // Only a running gateway knows which devices are connected.
          if device["up"] != nil, device["lastSeenAt"] == nil, device["revokedAt"] == nil {
            device["lastSeenAt"] = "not since the gateway started"
          }
          return device
        },
        finish: { devices, options, _ in
          guard options.has("valid") else { return devices }
          return devices.filter { $0["revokedAt"] == nil && $0["lockedOut"] == nil }
        }
      ) { _ in .listDevices(of: nil) },
      revoke,
      AdministrationVerb(
        "device", "code", "Prints the enrollment code.",
        options: [.flag("rotate", "generate a new code; the previous one becomes invalid")],
        columns: ["code"],
        question: { options, _ in
          guard options.has("rotate") else { return nil }
          return "generate a new enrollment code? The current code and all invitations with it "
            + "become invalid."
        }
      ) { $0.has("rotate") ? .rotateEnrollmentCode : .enrollmentCode },
    ])

  private static let revoke: AdministrationVerb = {
    var verb = AdministrationVerb(
      "device", "revoke", "Revokes a device permanently and unregisters its tokens.",
      positionals: "DEVICE", positionalCount: 1...1, columns: ["device", "revokedAt"],
      question: Self.revocationQuestion
    ) { .revokeDevice(number: try Self.number(in: $0)) }
    // A user who entered a wrong number notices the wrong name.
    verb.terminalColumns = ["device", "name", "revokedAt"]
    return verb
  }()

  private static func number(in options: CommandLineOptions) throws -> UInt64 {
    let text = options.positionals.first ?? ""
    guard let number = UInt64(text) else {
      throw AdministrationFailure(
        .invalid, "'\(text)' is not a device number",
        do: "use a device number that 'belfry device list' shows")
    }
    return number
  }

  /// Returns the question before a revocation, which names the device; nil if the revocation would change nothing.
  @Sendable private static func revocationQuestion(
    _ options: CommandLineOptions, _ gateway: GatewayAccess
  ) throws -> String? {
    let number = "\(try number(in: options))"
    let found = try gateway.perform(.listDevices(of: number)).first {
      DeviceOrder.number(in: $0) == number
    }
    guard let found, found["revokedAt"] == nil else { return nil }
    let name = found["name"]?.stringValue.map { " (\($0))" } ?? ""
    return "revoke the device \(number)\(name) permanently? Its tokens become invalid, and it "
      + "cannot connect again."
  }
}
