import Foundation
import BelfryClient

/// The identifier that all apps of a vendor share on one machine.
///
/// The identifier is generated at random when it is first requested, and stored in the user's state directory.
enum VendorIdentifier {
  static func make() -> UUID? {
    guard let appID = AppIdentity.current.appID else { return nil }
    let parts = appID.split(separator: ".")
    let vendor = (parts.count > 1 ? parts.dropLast() : parts[...]).joined(separator: ".")
    return read(vendor: vendor, in: stateFolder(ProcessInfo.processInfo.environment))
  }

  static func stateFolder(_ environment: [String: String]) -> URL {
    let state = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    let home = environment["HOME"] ?? "/"
    return URL(fileURLWithPath: state ?? home + "/.local/state", isDirectory: true)
      .appendingPathComponent("belfry/vendors", isDirectory: true)
  }

  static func read(vendor: String, in folder: URL) -> UUID? {
    guard !vendor.contains("/") else { return nil }
    let file = folder.appendingPathComponent(vendor)
    if let kept = stored(file) { return kept }
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let fresh = UUID()
    try? Data(fresh.uuidString.utf8).write(to: file, options: .withoutOverwriting)
    // Read the file again, because another app of the same vendor might have written its identifier first.
    return stored(file)
  }

  private static func stored(_ file: URL) -> UUID? {
    FileManager.default.contents(atPath: file.path)
      .flatMap { String(bytes: $0, encoding: .utf8) }.flatMap(UUID.init(uuidString:))
  }
}
