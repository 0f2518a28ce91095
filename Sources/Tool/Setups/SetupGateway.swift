import BelfryWire
import Foundation
import System

/// A gateway of a set-up: started in a folder, and what clients need to know of it.
struct SetupGateway {
  /// What a set-up fails for.
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

  /// The gateway's own description, which other commands read.
  var file: String { folder + "/gateway.json" }

  /// The number of a listener's port; 0 where there is none.
  func port(_ listener: String) -> Int64 { ports[listener]?.integerValue ?? 0 }

  /// Starts a gateway in a folder and waits until it serves.
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
      throw Failure(description: "\(readyFile) is not what a gateway writes: see \(logFile)")
    }
    func text(_ key: String) -> String { object[key]?.stringValue ?? "" }
    return SetupGateway(
      program: program, folder: folder, host: text("host"), ports: ports, caFile: text("caFile"),
      keyFile: text("keyFile"), keyID: text("keyID"), teamID: text("teamID"),
      adminTokenFile: text("adminTokenFile"))
  }

  /// The last line of a program's messages, which says why it ended.
  static func lastLine(of logFile: String) -> String {
    let text = (try? String(contentsOfFile: logFile, encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").last.map(String.init) ?? "it said nothing"
    return line.hasPrefix("belfry: ") ? String(line.dropFirst(8)) : line
  }

  private static let fileBytesMax = 65_536
}
