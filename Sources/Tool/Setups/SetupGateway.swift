import BelfryWire
import Foundation
import System

/// A gateway that a setup has started in a folder, with the information that clients need.
struct SetupGateway {
  /// The reason that a setup failed.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  let program: SupervisedProgram
  let folder: String
  let host: String
  let ports: JSONObject
  let caFile: String
  let keyFile: String
  let keyID: String
  let teamID: String
  let adminTokenFile: String

  /// The path of the gateway's own description, which other commands read.
  var file: String { folder + "/gateway.json" }

  /// Returns the port of a listener, or 0 if the listener isn't open.
  func port(_ listener: String) -> Int64 { ports[listener]?.integerValue ?? 0 }

  /// Starts a gateway in a folder and waits until it is ready.
  static func start(
    in folder: String, logFile: String, options: [String], by supervisor: ProgramSupervisor
  ) throws -> SetupGateway {
    let readyFile = folder + ".ready.json"
    try FileSystem.makeDirectories(FileSystem.parent(of: folder))
    try FileSystem.remove(readyFile)
    let program = try supervisor.startBelfry(
      ["gateway", "--data", folder, "--ready-file", readyFile] + options, logFile: logFile)
    try supervisor.wait { program.status != nil || FileSystem.exists(readyFile) }
    guard FileSystem.exists(readyFile) else {
      throw Failure(description: "the gateway did not start: \(lastLine(of: logFile))")
    }
    let object = try JSONValue(parsing: FileSystem.read(readyFile, limit: fileBytesMax)).objectValue
    try FileSystem.remove(readyFile)
    guard let object, let ports = object["ports"]?.objectValue else {
      throw Failure(description: "\(readyFile) is not a valid ready file: see \(logFile)")
    }
    func text(_ key: String) -> String { object[key]?.stringValue ?? "" }
    return SetupGateway(
      program: program, folder: folder, host: text("host"), ports: ports, caFile: text("caFile"),
      keyFile: text("keyFile"), keyID: text("keyID"), teamID: text("teamID"),
      adminTokenFile: text("adminTokenFile"))
  }

  /// Returns the last line of a program's log, which states why the program exited.
  static func lastLine(of logFile: String) -> String {
    let text = (try? String(contentsOfFile: logFile, encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").last.map(String.init) ?? "no reason was logged"
    return line.hasPrefix("belfry: ") ? String(line.dropFirst(8)) : line
  }

  private static let fileBytesMax = 65_536
}
