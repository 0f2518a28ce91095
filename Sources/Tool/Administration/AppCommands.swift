import BelfryWire
import Gateway
import System

/// `belfry topic`: the apps that a team owns.
enum TopicCommand {
  static let noun = AdministrationNoun(
    name: "topic",
    verbs: [
      AdministrationVerb(
        "topic", "add", "Adds an app to a team, or changes one that it has.",
        positionals: "BUNDLE-ID", positionalCount: 1...1,
        options: [
          .value("team", "ID", default: "the one there is", "who owns it"),
          .value("broadcast", "on|off", default: "off", "whether it may have channels"),
          .value(
            "keep", "1|N|all", default: "1", "how many undelivered notifications a token keeps"),
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
        "topic", "remove", "Removes an app with its channels and registrations.",
        positionals: "BUNDLE-ID", positionalCount: 1...1, columns: ["topic"]
      ) { .removeTopic(bundleID: $0.positionals[0]) },
    ])

  private static func keep(_ options: CommandLineOptions) throws -> UInt32? {
    if options.value("keep") == "all" { return .max }
    return try options.integer("keep", in: 1...UInt32.max - 1)
  }
}

/// `belfry channel`: the channels for broadcasts to Live Activities.
enum ChannelCommand {
  static let noun = AdministrationNoun(
    name: "channel",
    verbs: [
      AdministrationVerb(
        "channel", "add", "Makes a channel of an app and prints its id.",
        options: [
          .value("app", "BUNDLE-ID", "whose channel it is"),
          .value("storage", "0|1", default: "0", "1: its newest message waits for who is away"),
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
        "channel", "remove", "Removes a channel with its subscriptions.", positionals: "ID",
        positionalCount: 1...1, options: [.value("app", "BUNDLE-ID", "whose channel it is")],
        columns: ["channel"]
      ) { .removeChannel(id: $0.positionals[0], bundleID: $0.value("app")) },
    ])
}

/// `belfry device list`, `revoke` and `code`; `DeviceCommand` implements `run`.
enum DeviceAdministration {
  static let noun = AdministrationNoun(
    name: "device",
    verbs: [
      AdministrationVerb(
        "device", "list", "Lists the enrolled devices.",
        columns: ["device", "name", "up", "lastSeenAt", "enrolledAt", "revokedAt"]
      ) { _ in .listDevices(of: nil) },
      AdministrationVerb(
        "device", "revoke", "Refuses a device for good; its tokens are unregistered.",
        positionals: "DEVICE", positionalCount: 1...1, columns: ["device", "revokedAt"]
      ) { options in
        guard let number = UInt64(options.positionals[0]) else {
          throw AdministrationFailure(
            .invalid, "'\(options.positionals[0])' is no device",
            do: "give a number that `belfry device list` shows")
        }
        return .revokeDevice(number: number)
      },
      AdministrationVerb(
        "device", "code", "Prints the enrollment code.",
        options: [.flag("rotate", "generate a new code; the previous one becomes invalid")],
        columns: ["code"]
      ) { $0.has("rotate") ? .rotateEnrolmentCode : .enrolmentCode },
    ])
}
