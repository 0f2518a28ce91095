import BelfryWire
import Glibc
import System

/// The virtual devices of `belfry test-gateway`, with their tokens and the pushes that they have received.
final class TestDevices {
  /// An app that every device registers, for one type of token.
  struct App: Hashable {
    let bundleID: String
    let kind: TokenKind

    /// The app as an option of `belfry device run`.
    var option: String { "\(bundleID):\(kind.name)" }
    /// The topic of a push to one of the app's tokens.
    var topic: String { "\(bundleID)\(kind.topicSuffix)" }
  }

  private(set) var program: SupervisedProgram
  let apps: [App]
  /// A file that contains each device's token for the first app, one per line and ordered by position.
  let tokensFile: String
  /// A file that contains a JSON line for each push; lines are appended as pushes arrive.
  let receivedFile: String
  /// The tokens of each app, by the devices' positions.
  private var tokensOfApp: [App: [Int64: String]] = [:]

  /// Starts devices and waits until each of them has its tokens.
  static func start(
    _ count: Int, of gateway: SetupGateway, apps: [App], in folder: String,
    by supervisor: ProgramSupervisor
  ) throws -> TestDevices {
    let receivedFile = folder + "/received.jsonl"
    var devices: TestDevices?
    let logFile = folder + "/devices.log"
    let program = try supervisor.startBelfry(
      [
        "device", "run", "--gateway", gateway.file, "--data", folder + "/devices", "--count",
        "\(count)", "--received", receivedFile,
      ] + apps.flatMap { ["--app", $0.option] }, logFile: logFile
    ) { devices?.onLine($0) }
    let started = TestDevices(
      program, apps: apps, tokensFile: folder + "/tokens", receivedFile: receivedFile)
    devices = started
    func isComplete() -> Bool { apps.allSatisfy { started.tokensOfApp[$0]?.count == count } }
    try supervisor.wait {
      isComplete() || program.status != nil || gateway.program.status != nil
    }
    guard isComplete() else {
      guard gateway.program.status == nil else {
        throw SetupGateway.Failure(
          description: "the gateway exited before the devices got tokens: "
            + SetupGateway.lastLine(of: gateway.program.logFile ?? ""))
      }
      throw SetupGateway.Failure(
        description: "the devices got no tokens: \(SetupGateway.lastLine(of: logFile))")
    }
    let text = started.tokens.map { $0 + "\n" }.joined()
    try FileSystem.write(Array(text.utf8), to: started.tokensFile, mode: 0o600)
    return started
  }

  private init(
    _ program: SupervisedProgram, apps: [App], tokensFile: String, receivedFile: String
  ) {
    self.program = program
    self.apps = apps
    self.tokensFile = tokensFile
    self.receivedFile = receivedFile
  }

  /// The devices' tokens for the first app, ordered by position.
  var tokens: [String] { apps.first.map(tokens(of:)) ?? [] }

  /// Returns the devices' tokens for an app, ordered by position.
  func tokens(of app: App) -> [String] {
    (tokensOfApp[app] ?? [:]).sorted { $0.key < $1.key }.map(\.value)
  }

  private func onLine(_ text: String) {
    guard let line = (try? JSONValue(parsing: text))?.objectValue,
      line["event"] == "registered", let position = line["position"]?.integerValue,
      let bundleID = line["topic"]?.stringValue,
      let kind = line["type"]?.stringValue.flatMap(TokenKind.init(name:))
    else { return }
    tokensOfApp[App(bundleID: bundleID, kind: kind), default: [:]][position] =
      line["token"]?.stringValue
  }
}
