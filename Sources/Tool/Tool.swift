import Glibc
import System
import Transport

/// The executable `belfry`.
///
/// Each subcommand is in its own file.
@main
enum Tool {
  /// The headings in the list of commands, in order.
  enum Group: String, CaseIterable, Sendable {
    case send = "Send"
    case devices = "Apps and devices"
    case gateway = "Gateway"
    case provider = "Provider"
    case setup = "Set up and test"
  }

  /// A subcommand: its name, a line of help, its options and verbs, and the function that runs it.
  struct Command: Sendable {
    let name: String
    let group: Group
    let summary: String
    /// The option tables, from which help, manual pages, and completions are generated.
    var tables: @Sendable () -> [OptionTable] = { [] }
    let run: @Sendable ([String]) -> Int32
  }

  static let commands: [Command] = [
    Command(
      name: "gateway", group: .gateway,
      summary: "run the push service, show its status or check its configuration",
      tables: { [GatewayCommand.table, GatewayStatusCommand.table, GatewayCheck.table] },
      run: GatewayCommand.run),
    Command(
      name: "agent", group: .devices, summary: "run the device's notification service",
      tables: { [AgentCommand.table] },
      run: AgentCommand.run),
    Command(
      name: "app", group: .devices, summary: "run, install and list apps",
      tables: { AppCommand.tables },
      run: AppCommand.run),
    Command(
      name: "notify", group: .devices, summary: "show, schedule and cancel local notifications",
      tables: { [NotifyCommand.table] + NotifyCommand.verbTables },
      run: NotifyCommand.run),
    Command(
      name: "subscribe", group: .devices,
      summary: "get a token and a command that sends to this desktop",
      tables: { [SubscribeCommand.table] },
      run: SubscribeCommand.run),
    Command(
      name: "unifiedpush", group: .devices,
      summary: "list, end and test the registrations of UnifiedPush apps",
      tables: { UnifiedPushCommand.tables },
      run: UnifiedPushCommand.run),
    Command(
      name: "settings", group: .devices, summary: "show or change notification settings",
      tables: { [SettingsCommand.table] },
      run: SettingsCommand.run),
    Command(
      name: "center", group: .devices, summary: "list, open and dismiss delivered notifications",
      tables: { [CenterCommand.table] + CenterCommand.verbTables },
      run: CenterCommand.run),
    Command(
      name: "clock", group: .devices, summary: "set or advance an agent's manual clock",
      tables: { [ClockCommand.table] + ClockCommand.verbTables },
      run: ClockCommand.run),
    Command(
      name: "location", group: .devices, summary: "set the device's location",
      tables: { [LocationCommand.table] },
      run: LocationCommand.run),
    Command(
      name: "state", group: .devices, summary: "show or set the device's state",
      tables: { [StateCommand.table] },
      run: StateCommand.run),
    Command(
      name: "sound", group: .devices, summary: "check or convert a notification sound",
      tables: { [SoundCommand.table, SoundCommand.conversionTable] },
      run: SoundCommand.run),
    Command(
      name: "doctor", group: .setup, summary: "check what this machine supports",
      tables: { [DoctorCommand.table] },
      run: DoctorCommand.run),
    Command(
      name: "device", group: .devices,
      summary: "run virtual devices; list, invite and revoke devices",
      tables: { DeviceCommand.tables },
      run: DeviceCommand.run),
    Command(
      name: "dev", group: .setup, summary: "run a gateway and an agent for app development",
      tables: { [DevCommand.table] },
      run: DevCommand.run),
    Command(
      name: "test-gateway", group: .setup,
      summary: "run a command with its own gateway and devices",
      tables: { [TestGatewayCommand.table] },
      run: TestGatewayCommand.run),
    Command(
      name: "send", group: .send, summary: "send a push notification",
      tables: { [SendCommand.table] },
      run: SendCommand.run),
    Command(
      name: "web-push", group: .send, summary: "send a Web Push message, and create a sender's key",
      tables: { WebPushCommand.tables },
      run: WebPushCommand.run),
    Command(
      name: "provider", group: .provider,
      summary: "run the token registry and the campaign service",
      tables: { [ProviderServiceCommand.table] },
      run: ProviderServiceCommand.run),
    Command(
      name: "campaign", group: .send, summary: "send a localized notification to many devices",
      tables: { CampaignCommand.tables },
      run: CampaignCommand.run),
    Command(
      name: "team", group: .gateway, summary: "manage the teams that own apps and keys",
      tables: { TeamCommand.noun.tables },
      run: TeamCommand.noun.run),
    Command(
      name: "key", group: .gateway, summary: "manage provider keys",
      tables: { KeyCommand.noun.tables },
      run: KeyCommand.noun.run),
    Command(
      name: "certificate", group: .gateway, summary: "manage provider certificates",
      tables: { CertificateCommand.noun.tables },
      run: CertificateCommand.noun.run),
    Command(
      name: "ca", group: .gateway, summary: "manage and rotate the certificate authority",
      tables: { AuthorityCommand.noun.tables }, run: AuthorityCommand.noun.run),
    Command(
      name: "token-key", group: .gateway,
      summary: "manage and rotate the keys that seal device tokens",
      tables: { TokenKeyCommand.noun.tables }, run: TokenKeyCommand.noun.run),
    Command(
      name: "damage", group: .gateway,
      summary: "list and discard damaged rows in the gateway's stores",
      tables: { DamageCommand.noun.tables }, run: DamageCommand.noun.run),
    Command(
      name: "topic", group: .gateway, summary: "manage the apps of a team",
      tables: { TopicCommand.noun.tables },
      run: TopicCommand.noun.run),
    Command(
      name: "channel", group: .gateway, summary: "manage broadcast channels",
      tables: { ChannelCommand.noun.tables },
      run: ChannelCommand.noun.run),
    Command(
      name: "fault", group: .gateway, summary: "script error responses for tests",
      tables: { FaultCommand.noun.tables },
      run: FaultCommand.noun.run),
    Command(
      name: "upstream", group: .gateway,
      summary: "relay pushes to Apple with the publisher's key",
      tables: { UpstreamCommand.noun.tables },
      run: UpstreamCommand.noun.run),
    Command(
      name: "backup", group: .gateway, summary: "back up a gateway",
      tables: { [BackupCommand.table] },
      run: BackupCommand.run),
    Command(
      name: "restore", group: .gateway, summary: "restore a gateway from a backup",
      tables: { [RestoreCommand.table] },
      run: RestoreCommand.run),
    Command(
      name: "store", group: .gateway,
      summary: "move the data of a gateway or provider to PostgreSQL",
      tables: { [StoreCommand.table] },
      run: StoreCommand.run),
    Command(
      name: "cluster", group: .gateway, summary: "create a cluster of gateways",
      tables: { [ClusterCommand.table] },
      run: ClusterCommand.run),
    Command(
      name: "node", group: .gateway, summary: "list and drain the nodes of a cluster",
      tables: { NodeCommand.noun.tables },
      run: NodeCommand.noun.run),
    Command(
      name: "console", group: .gateway,
      summary: "print a URL that opens the web console and signs you in",
      tables: { [ConsoleCommand.table] },
      run: ConsoleCommand.run),
    Command(
      name: "log", group: .gateway, summary: "show what happened to notifications",
      tables: { [LogCommand.verb.table] },
      run: LogCommand.run),
    Command(
      name: "completions", group: .setup, summary: "print shell completions",
      tables: { [CompletionsCommand.table] }, run: CompletionsCommand.run),
    Command(
      name: "man", group: .setup, summary: "show or write the manual pages",
      tables: { [ManualCommand.table] },
      run: ManualCommand.run),
  ]

  /// The commands to use instead of commands that users might expect.
  private static let substitutes = [
    "unsubscribe": "belfry app remove", "focus": "belfry state focus=on",
  ]

  static func main() {
    // Ignore SIGXFSZ, so that a write that exceeds the file size limit fails with an error that is reported; otherwise,
    // the signal would terminate the process.
    signal(SIGXFSZ, SIG_IGN)
    OpenSSLLibrary.keepAtExit()
    var arguments = Array(CommandLine.arguments.dropFirst())
    // 'belfry help notify' is equivalent to 'belfry notify --help'.
    if arguments.first == "help", arguments.count > 1 {
      arguments = Array(arguments.dropFirst()) + ["--help"]
    }
    guard let name = arguments.first else { exit(usage()) }
    if ["--help", "-h", "help"].contains(name) {
      Output.line(help(columns: Output.helpColumns))
      exit(Output.status(0))
    }
    if ["--version", "-V", "-v", "version"].contains(name) {
      Output.line("belfry \(Version.text)")
      exit(Output.status(0))
    }
    if let status = runInternal(name, Array(arguments.dropFirst())) { exit(status) }
    guard let command = commands.first(where: { $0.name == name }) else {
      // The word might be a verb, such as 'status', without its command.
      let full = commands.flatMap { $0.tables() }.map(\.command).filter { $0.hasSuffix(" \(name)") }
      let nearest = Suggestion.nearest(to: name, in: commands.map(\.name))
      let meant =
        substitutes[name].map { [$0] }
        ?? (full.isEmpty ? nearest.map { [$0] } ?? [] : Array(full.prefix(3)))
      Output.error(
        "unknown command '\(name)'",
        do: meant.isEmpty
          ? "run 'belfry --help' for a list"
          : "did you mean \(meant.map { "'\($0)'" }.joined(separator: " or "))?")
      exit(2)
    }
    exit(Output.status(command.run(Array(arguments.dropFirst()))))
  }

  /// Runs an internal command, which this executable uses to start itself.
  ///
  /// Returns nil for any other name.
  private static func runInternal(_ name: String, _ arguments: [String]) -> Int32? {
    switch name {
    case ProgramSupervisor.programWord: return ProgramSupervisor.becomeProgram(arguments)
    case ProgramSupervisor.keeperWord:
      guard arguments.count > 1, let parent = pid_t(arguments[0]) else { return 2 }
      let rest = Array(arguments.dropFirst(2))
      switch arguments[1] {
      case "test-gateway": return TestGatewayCommand.runKeeper(rest, parent: parent)
      case "dev": return DevCommand.runKeeper(rest, parent: parent)
      default: return 2
      }
    default: return nil
    }
  }

  /// Returns the list of commands, wrapped to `columns` characters per line; nil does not wrap it.
  static func help(columns: Int?) -> String {
    let width = (commands.map(\.name.count).max() ?? 0) + 2
    let groups = Group.allCases.map { group in
      let lines = commands.filter { $0.group == group }.map { command in
        let gap = String(repeating: " ", count: width - command.name.count)
        return WrappedText.text(
          command.summary, after: "  \(command.name)\(gap)", indent: width + 2, columns: columns)
      }
      return "\(group.rawValue):\n" + lines.joined(separator: "\n")
    }
    let notes = [
      "Run 'belfry COMMAND --help' for the options of a command, and 'belfry --version' for the version.",
      documents,
    ].map { WrappedText.text($0, after: "", indent: 0, columns: columns) }
    return """
      Belfry: Apple's notification system on Linux, self-hosted.

      usage: belfry COMMAND [OPTION]…

      \(groups.joined(separator: "\n\n"))

      \(notes.joined(separator: "\n"))
      """
  }

  private static var documents: String {
    guard let folder = DocumentationFolder.path else { return "" }
    return "Documents that messages refer to, such as docs/provider.md, are in \(folder)."
  }

  private static func usage() -> Int32 {
    Output.error("missing command", do: "run 'belfry --help' for a list")
    return 2
  }
}
