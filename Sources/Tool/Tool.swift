import Glibc
import System

/// The executable `belfry`, with a file for each subcommand.
@main
enum Tool {
  /// A subcommand: its name, a line of help, and the function that runs it.
  struct Command: Sendable {
    let name: String
    let summary: String
    let run: @Sendable ([String]) -> Int32
  }

  static let commands: [Command] = [
    Command(name: "gateway", summary: "run the push service", run: GatewayCommand.run),
    Command(name: "agent", summary: "run the device's daemon", run: AgentCommand.run),
    Command(name: "app", summary: "be an app from a shell", run: AppCommand.run),
    Command(name: "notify", summary: "show local notifications", run: NotifyCommand.run),
    Command(
      name: "subscribe", summary: "a token and a curl line for this desktop",
      run: SubscribeCommand.run),
    Command(name: "settings", summary: "turn an app's switches", run: SettingsCommand.run),
    Command(name: "center", summary: "what has been delivered", run: CenterCommand.run),
    Command(name: "clock", summary: "move an agent's manual clock", run: ClockCommand.run),
    Command(name: "location", summary: "say where the device is", run: LocationCommand.run),
    Command(name: "state", summary: "say how the device stands", run: StateCommand.run),
    Command(name: "sound", summary: "may this file be a sound?", run: SoundCommand.run),
    Command(name: "doctor", summary: "what this machine lacks", run: DoctorCommand.run),
    Command(
      name: "device", summary: "run virtual devices, list and revoke devices",
      run: DeviceCommand.run),
    Command(
      name: "dev", summary: "a gateway and an agent for the work on an app", run: DevCommand.run),
    Command(
      name: "test-gateway", summary: "run a command with a gateway and devices of its own",
      run: TestGatewayCommand.run),
    Command(name: "send", summary: "send a push from a shell", run: SendCommand.run),
    Command(
      name: "provider", summary: "run the token registry of an app's maker",
      run: ProviderServiceCommand.run),
    Command(
      name: "campaign", summary: "send to many, each in their language", run: CampaignCommand.run),
    Command(name: "team", summary: "who owns apps and keys", run: TeamCommand.noun.run),
    Command(
      name: "key", summary: "what providers sign their tokens with", run: KeyCommand.noun.run),
    Command(
      name: "certificate", summary: "providers' TLS certificates", run: CertificateCommand.noun.run),
    Command(name: "topic", summary: "the apps that a team owns", run: TopicCommand.noun.run),
    Command(name: "channel", summary: "an app's broadcast channels", run: ChannelCommand.noun.run),
    Command(name: "fault", summary: "scripted answers, for testing", run: FaultCommand.noun.run),
    Command(name: "log", summary: "what happened to notifications", run: LogCommand.run),
  ]

  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard let name = arguments.first else { exit(usage()) }
    if name == "--help" || name == "help" {
      Output.line(help)
      exit(0)
    }
    if name == "--version" {
      Output.line("belfry \(Version.current)")
      exit(0)
    }
    if let status = runInternal(name, Array(arguments.dropFirst())) { exit(status) }
    guard let command = commands.first(where: { $0.name == name }) else {
      let nearest = Suggestion.nearest(to: name, in: commands.map(\.name))
      Output.error(
        "there is no command '\(name)'",
        do: nearest.map { "did you mean '\($0)'?" } ?? "'belfry --help' lists them all")
      exit(2)
    }
    exit(command.run(Array(arguments.dropFirst())))
  }

  /// Runs what this executable starts itself as; nil for any other word.
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

      'belfry COMMAND --help' tells the options of one.
      """
  }

  private static func usage() -> Int32 {
    Output.error("no command is given", do: "'belfry --help' lists them all")
    return 2
  }
}
