import BelfryWire
import Glibc
import System

/// The file in a gateway's folder that identifies the devices that are running for the gateway.
///
/// With this file, `belfry device order` and `belfry device received` can find the devices from another shell.
struct DeviceRunFile {
  /// The data folder of `belfry device run`; nil for an agent.
  var folder: String?
  /// The ready file of the agent of `belfry dev`; nil for virtual devices.
  var agentReadyFile: String?
  /// The file that contains the received pushes; nil if pushes aren't recorded.
  var received: String?

  static func path(inGateway folder: String) -> String { folder + "/devices.json" }

  /// Reads the file for a gateway; returns nil if no devices run for the gateway, or if they didn't write a file.
  init?(ofGateway folder: String) {
    guard
      let bytes = try? FileSystem.readRegularFile(Self.path(inGateway: folder), limit: 65_536),
      let object = (try? JSONValue(parsing: bytes))?.objectValue,
      let pid = object["pid"]?.integerValue.flatMap(Int32.init(exactly:)),
      kill(pid, 0) == 0 || errno == EPERM
    else { return nil }
    self.folder = object["folder"]?.stringValue
    agentReadyFile = object["agent"]?.stringValue
    received = object["received"]?.stringValue
  }

  init(folder: String? = nil, agentReadyFile: String? = nil, received: String?) {
    self.folder = folder
    self.agentReadyFile = agentReadyFile
    self.received = received
  }

  /// Writes the file, unless the gateway belongs to another user or its folder isn't writable.
  func write(inGateway folder: String) {
    var object: JSONObject = ["pid": .integer(Int64(getpid()))]
    object["folder"] = self.folder.map { .string($0) }
    object["agent"] = agentReadyFile.map { .string($0) }
    object["received"] = received.map { .string($0) }
    let bytes = JSONValue.object(object).bytes + [0x0A]
    try? FileSystem.write(bytes, to: Self.path(inGateway: folder), mode: 0o600)
  }

  /// Removes the file, unless other devices have replaced it.
  static func remove(inGateway folder: String) {
    let path = path(inGateway: folder)
    guard let bytes = try? FileSystem.readRegularFile(path, limit: 65_536),
      let object = (try? JSONValue(parsing: bytes))?.objectValue,
      object["pid"]?.integerValue == Int64(getpid())
    else { return }
    try? FileSystem.remove(path)
  }
}
