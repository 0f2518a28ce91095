import Glibc
import System
import Transport

/// The executable `belfry`.
///
/// Each subcommand has its own file.
@main
enum Tool {
  /// A subcommand: its name, a line of help, the options of the subcommand and its verbs, and the function that runs
  /// it.
  struct Command: Sendable {
    let name: String
    let summary: String
    /// The option tables, from which help, manual pages and completions are generated.
    var tables: @Sendable () -> [OptionTable] = { [] }
    let run: @Sendable ([String]) -> Int32
  }

  static let commands: [Command] = [
    Command(
      name: "gateway", summary: "run the push service; status, check-config FILE",
      tables: { [GatewayCommand.table, GatewayStatusCommand.table, GatewayCheck.table] },
      run: GatewayCommand.run),
    Command(
      name: "agent", summary: "run the device's daemon", tables: { [AgentCommand.table] },
      run: AgentCommand.run),
    Command(
      name: "app", summary: "be an app from a shell", tables: { AppCommand.tables },
      run: AppCommand.run),
    Command(
      name: "notify", summary: "show local notifications",
      tables: { [NotifyCommand.table] + NotifyCommand.verbTables },
      run: NotifyCommand.run),
    Command(
      name: "subscribe", summary: "a token and a curl line for this desktop",
      tables: { [SubscribeCommand.table] },
      run: SubscribeCommand.run),
    Command(
      name: "settings", summary: "turn an app's switches", tables: { [SettingsCommand.table] },
      run: SettingsCommand.run),
    Command(
      name: "center", summary: "what has been delivered",
      tables: { [CenterCommand.table] + CenterCommand.verbTables },
      run: CenterCommand.run),
    Command(
      name: "clock", summary: "move an agent's manual clock",
      tables: { [ClockCommand.table] + ClockCommand.verbTables },
      run: ClockCommand.run),
    Command(
      name: "location", summary: "say where the device is", tables: { [LocationCommand.table] },
      run: LocationCommand.run),
    Command(
      name: "state", summary: "say how the device stands", tables: { [StateCommand.table] },
      run: StateCommand.run),
    Command(
      name: "sound", summary: "may this file be a sound?",
      tables: { [SoundCommand.table, SoundCommand.conversionTable] },
      run: SoundCommand.run),
    Command(
      name: "doctor", summary: "what this machine lacks", tables: { [DoctorCommand.table] },
      run: DoctorCommand.run),
    Command(
      name: "device", summary: "run virtual devices, list and revoke devices",
      tables: { DeviceCommand.tables },
      run: DeviceCommand.run),
    Command(
      name: "dev", summary: "a gateway and an agent for the work on an app",
      tables: { [DevCommand.table] },
      run: DevCommand.run),
    Command(
      name: "test-gateway", summary: "run a command with a gateway and devices of its own",
      tables: { [TestGatewayCommand.table] },
      run: TestGatewayCommand.run),
    Command(
      name: "send", summary: "send a push from a shell", tables: { [SendCommand.table] },
      run: SendCommand.run),
    Command(
      name: "provider", summary: "run the token registry of an app's maker",
      tables: { [ProviderServiceCommand.table] },
      run: ProviderServiceCommand.run),
    Command(
      name: "campaign", summary: "send to many, each in their language",
      tables: { CampaignCommand.tables },
      run: CampaignCommand.run),
    Command(
      name: "team", summary: "who owns apps and keys", tables: { TeamCommand.noun.tables },
      run: TeamCommand.noun.run),
    Command(
      name: "key", summary: "what providers sign their tokens with",
      tables: { KeyCommand.noun.tables },
      run: KeyCommand.noun.run),
    Command(
      name: "certificate", summary: "providers' TLS certificates",
      tables: { CertificateCommand.noun.tables },
      run: CertificateCommand.noun.run),
    Command(
      name: "ca", summary: "the authority that clients trust, and its rotation",
      tables: { AuthorityCommand.noun.tables }, run: AuthorityCommand.noun.run),
    Command(
      name: "token-key", summary: "the keys that seal device tokens, and their rotation",
      tables: { TokenKeyCommand.noun.tables }, run: TokenKeyCommand.noun.run),
    Command(
      name: "damage", summary: "rows of a gateway's stores that are not what was written",
      tables: { DamageCommand.noun.tables }, run: DamageCommand.noun.run),
    Command(
      name: "topic", summary: "the apps that a team owns", tables: { TopicCommand.noun.tables },
      run: TopicCommand.noun.run),
    Command(
      name: "channel", summary: "an app's broadcast channels",
      tables: { ChannelCommand.noun.tables },
      run: ChannelCommand.noun.run),
    Command(
      name: "fault", summary: "scripted answers, for testing", tables: { FaultCommand.noun.tables },
      run: FaultCommand.noun.run),
    Command(
      name: "backup", summary: "copy a gateway while it runs", tables: { [BackupCommand.table] },
      run: BackupCommand.run),
    Command(
      name: "restore", summary: "a gateway from its copy", tables: { [RestoreCommand.table] },
      run: RestoreCommand.run),
    Command(
      name: "log", summary: "what happened to notifications", tables: { [LogCommand.verb.table] },
      run: LogCommand.run),
    Command(
      name: "completions", summary: "what a shell completes on the Tab key",
      tables: { [CompletionsCommand.table] }, run: CompletionsCommand.run),
    Command(
      name: "man", summary: "the manual pages", tables: { [ManualCommand.table] },
      run: ManualCommand.run),
  ]

  static func main() {
    // Ignore SIGXFSZ, so that exceeding the file size limit fails with an error that is reported, instead of ending the
    // process during a write.
    signal(SIGXFSZ, SIG_IGN)
    OpenSSLLibrary.keepAtExit()
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard let name = arguments.first else { exit(usage()) }
    if ["--help", "-h", "help"].contains(name) {
      Output.line(help)
      exit(Output.status(0))
    }
    if ["--version", "-V", "-v", "version"].contains(name) {
      Output.line("belfry \(Version.text)")
      exit(Output.status(0))
    }
    if let status = runInternal(name, Array(arguments.dropFirst())) { exit(status) }
    guard let command = commands.first(where: { $0.name == name }) else {
      let nearest = Suggestion.nearest(to: name, in: commands.map(\.name))
      Output.error(
        "there is no command '\(name)'",
        do: nearest.map { "did you mean '\($0)'?" } ?? "'belfry --help' lists them all")
      exit(2)
    }
    exit(Output.status(command.run(Array(arguments.dropFirst()))))
  }

  /// Runs an internal command with which this executable starts itself.
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

  private static var help: String {
    let width = (commands.map(\.name.count).max() ?? 0) + 2
    let lines = commands.map { command in
      "  \(command.name)\(String(repeating: " ", count: width - command.name.count))\(command.summary)"
    }
    return """
      Belfry: Apple's notification system on Linux, self-hosted.

      usage: belfry COMMAND [OPTION]…

      \(lines.joined(separator: "\n"))

      'belfry COMMAND --help' tells the options of one, 'belfry --version' which release this is.
      """
  }

  private static func usage() -> Int32 {
    Output.error("no command is given", do: "'belfry --help' lists them all")
    return 2
  }
}
