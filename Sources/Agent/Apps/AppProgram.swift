import Foundation
import System

// The program of an installed app, which can be missing: an app can be installed before it is built.
extension LocalApp.Installation {
  /// The reason that the app's program cannot be started; nil if the program is there, or if the app has no program.
  var programProblem: String? {
    guard let executable else { return nil }
    guard FileSystem.exists(executable) else { return "\(executable) does not exist" }
    return FileManager.default.isExecutableFile(atPath: executable)
      ? nil : "\(executable) is not executable"
  }

  /// The advice for the user about a program that cannot be started.
  var programAdvice: String {
    "build the program, or correct \(desktopFile == nil ? "CFBundleExecutable" : "Exec") and run "
      + "'belfry app install' again"
  }
}
