import Foundation

/// Functions that open URLs with the desktop's default programs.
package enum ExternalURL {
  /// True if the app can try to open a URL: a desktop is running, and `xdg-open` is in the path.
  package static var isPossible: Bool {
    let environment = ProcessInfo.processInfo.environment
    let hasDesktop = environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil
    return hasDesktop && opener(environment) != nil
  }

  /// Opens a URL.
  ///
  /// The completion handler runs on the main thread. It receives true if a program opened the URL.
  package static func open(_ url: URL, completion: @escaping @Sendable (Bool) -> Void) {
    let environment = ProcessInfo.processInfo.environment
    let command =
      url.scheme == "app-settings"
      ? settings(environment) : opener(environment).map { [$0, url.absoluteString] }
    guard isPossible, let command, let program = command.first else {
      DispatchQueue.main.async { completion(false) }
      return
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = Array(command.dropFirst())
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    process.terminationHandler = { process in
      let isDone = process.terminationStatus == 0
      DispatchQueue.main.async { completion(isDone) }
    }
    do { try process.run() } catch { DispatchQueue.main.async { completion(false) } }
  }

  private static func opener(_ environment: [String: String]) -> String? {
    find("xdg-open", environment)
  }

  /// Returns the command that opens the desktop's notification settings, if a known settings program is installed.
  private static func settings(_ environment: [String: String]) -> [String]? {
    let pages = [
      ["gnome-control-center", "notifications"], ["systemsettings", "kcm_notifications"],
      ["xfce4-notifyd-config"],
    ]
    return pages.lazy.compactMap { page in
      page.first.flatMap { find($0, environment) }.map { [$0] + page.dropFirst() }
    }.first
  }

  private static func find(_ name: String, _ environment: [String: String]) -> String? {
    (environment["PATH"] ?? "").split(separator: ":").lazy.map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}
