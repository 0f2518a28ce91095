import Foundation
import System

/// A program of an app, which can be missing: an app can be installed before it is built.
enum AppProgram {
  /// Returns the reason that the program cannot be started; nil if it can be.
  static func problem(at path: String) -> String? {
    guard FileSystem.exists(path) else { return "\(path) does not exist" }
    return FileManager.default.isExecutableFile(atPath: path) ? nil : "\(path) is not executable"
  }
}

extension LocalApp.Installation {
  /// The reason that the app's program cannot be started; nil if the program is there, or if the app has no program.
  var programProblem: String? { executable.flatMap(AppProgram.problem) }

  /// The advice for the user about a program that cannot be started.
  var programAdvice: String {
    desktopFile == nil
      ? "build the program, or correct CFBundleExecutable and run 'belfry app install' again"
      : "build or install the program, or correct Exec and run 'belfry app install' again"
  }
}
