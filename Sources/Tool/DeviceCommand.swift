import Agent
import BelfryWire
import Foundation
import System

/// `belfry device run`: runs virtual devices for tests, CI, and load.
enum DeviceCommand {
  static let table = OptionTable(
    command: "belfry device run",
    summary: """
      Runs virtual devices: enrolls them, registers topics, and prints one JSON line per token and per notification.
      Reads commands from standard input, one JSON object per line, such as {"do":"offline"}; docs/virtual-devices.md
      lists all commands. Runs until {"do":"exit"}, SIGTERM or SIGINT.
      """,
    [
      .value(
        "gateway", DeviceGateway.optionName,
        default: "$BELFRY_GATEWAY/gateway.json if set; otherwise, the current user's gateway",
        "a gateway.json file, an address together with --ca and --enroll, an invitation, or an "
          + "invitation file (see 'belfry device invite')"),
      .value("ca", "FILE", "the gateway's CA certificate (PEM)"),
      .value(
        "enroll", "CODE", "the enrollment code; not needed for devices that are already enrolled"),
      .value("count", "N", default: "1", "number of devices"),
      .value(
        "data", "DIR", default: "$XDG_STATE_HOME/belfry/devices",
        "folder for the devices' identities"),
      .repeatable(
        "app", "BUNDLE-ID[:TYPE,…]",
        "register this app for these types of push, or for alert pushes if no type is given"),
      .repeatable("channel", "APP/ID", "subscribe to the app's broadcast channel"),
      .flag("web-push", "create a Web Push subscription for each device, and print its endpoint"),
      .value("vapid", "KEY", "let only the sender with this VAPID key send to the subscriptions"),
      .value(
        "connecting", "N", default: "64",
        "maximum number of devices that connect at the same time; with a much higher number, "
          + "connections time out"),
      .value(
        "ack", "auto|never", default: "auto", "acknowledge notifications automatically or never"),
      .value(
        "received", "FILE",
        "also write each push to this file, for 'belfry device received'; the run begins by emptying the file of an "
          + "earlier run, and refuses a file with other content"),
      .flag(
        "summary", "print counts and percentiles at the end, instead of one line per notification"),
    ])

  static let tables =
    [table, OrderCommand.table, ReceivedCommand.table, InviteCommand.table]
    + DeviceAdministration.noun.tables

  static func run(_ arguments: [String]) -> Int32 {
    if DeviceAdministration.noun.has(arguments) { return DeviceAdministration.noun.run(arguments) }
    if arguments.first == "invite" { return InviteCommand.run(Array(arguments.dropFirst())) }
    if arguments.first == "order" { return OrderCommand.run(Array(arguments.dropFirst())) }
    if arguments.first == "received" { return ReceivedCommand.run(Array(arguments.dropFirst())) }
    guard let verb = arguments.first, verb == "run" else {
      if arguments.first == "--help" {
        Output.help(tables)
        return 0
      }
      let verbs = tables.compactMap { $0.command.split(separator: " ").last.map(String.init) }
      let nearest = arguments.first.flatMap { Suggestion.nearest(to: $0, in: verbs) }
      Output.error(
        arguments.first.map { "unknown command '\($0)' after 'belfry device'" }
          ?? "missing command after 'belfry device'",
        do: nearest.map { "did you mean '\($0)'?" } ?? "use \(CommandLineOptions.list(verbs))")
      return 2
    }
    return table.run(arguments.dropFirst(), help: { Output.help(tables) }) { options in
      let plan = try FleetConfiguration(options)
      SignalWatcher.blockSignals([.terminate, .interrupt])
      try FolderOwner.act(in: plan.dataFolder)
      return try DeviceFleet(plan).run()
    }
  }
}
