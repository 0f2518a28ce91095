import BelfryWire
import Glibc
import System

/// The virtual devices of `belfry test-gateway`, with their tokens and received pushes.
final class TestDevices {
  private(set) var program: SupervisedProgram
  /// A file with one token per line, in the order of the devices.
  let tokensFile: String
  /// A file with one JSON line per push, appended as pushes arrive.
  let receivedFile: String
  private var tokenOfDevice: [Int64: String] = [:]
  private let received: Int32

  /// Starts devices and waits until each one has a token.
  static func start(
    _ count: Int, of gateway: SetupGateway, app: String, kind: TokenKind, in folder: String,
    by supervisor: ProgramSupervisor
  ) throws -> TestDevices {
    let receivedFile = folder + "/received.jsonl"
    try FileSystem.remove(ReceivedPushes.recordFile(of: receivedFile))
    let flags = O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC
    let received = unsafe open(receivedFile, flags, 0o600)
    guard received >= 0 else {
      throw SystemFailure.call(name: "open", errno: errno, subject: receivedFile)
    }
    var devices: TestDevices?
    let logFile = folder + "/devices.log"
    let program = try supervisor.startBelfry(
      [
        "device", "run", "--gateway", gateway.file, "--data", folder + "/devices", "--app",
        "\(app):\(kind.name)", "--count", "\(count)",
      ], logFile: logFile
    ) { devices?.onLine($0) }
    let started = TestDevices(
      program, tokensFile: folder + "/tokens", receivedFile: receivedFile, received)
    devices = started
    try supervisor.wait {
      started.tokenOfDevice.count == count || program.status != nil
        || gateway.program.status != nil
    }
    guard started.tokenOfDevice.count == count else {
      throw SetupGateway.Failure(
        description: "the devices got no tokens: \(SetupGateway.lastLine(of: logFile))")
    }
    let text = started.tokens.map { $0 + "\n" }.joined()
    try FileSystem.write(Array(text.utf8), to: started.tokensFile, mode: 0o600)
    return started
  }

  private init(
    _ program: SupervisedProgram, tokensFile: String, receivedFile: String, _ received: Int32
  ) {
    self.program = program
    self.tokensFile = tokensFile
    self.receivedFile = receivedFile
    self.received = received
  }

  deinit { close(received) }

  /// The devices' tokens, in the order of the devices' numbers.
  var tokens: [String] {
    tokenOfDevice.sorted { $0.key < $1.key }.map(\.value)
  }

  private func onLine(_ text: String) {
    guard let line = (try? JSONValue(parsing: text))?.objectValue,
      let device = line["device"]?.integerValue
    else { return }
    switch line["event"]?.stringValue {
    case "registered": tokenOfDevice[device] = line["token"]?.stringValue
    case "received": write(Self.received(line, token: tokenOfDevice[device]))
    default: break
    }
  }

  /// Returns a line of `belfry device run` with the token added, and with the payload as JSON instead of base64.
  static func received(_ line: JSONObject, token: String?) -> JSONObject {
    var line = line
    line["token"] = token.map(JSONValue.string)
    let bytes = line["payload"]?.stringValue.flatMap { Base64.decode(Array($0.utf8).span) }
    // A payload that is not JSON stays in base64.
    if let bytes, let payload = try? JSONValue(parsing: bytes) { line["payload"] = payload }
    return line
  }

  /// Appends a line with one system call, so that a reader never sees half of it.
  private func write(_ line: JSONObject) {
    let bytes = JSONValue.object(line).bytes + [0x0A]
    unsafe bytes.withUnsafeBytes { _ = unsafe Glibc.write(received, $0.baseAddress, $0.count) }
  }
}
