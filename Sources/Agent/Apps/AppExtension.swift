import Foundation
import System

/// An extension of an app, as the manifest in the extension's folder (`PlugIns/NAME.appex`) describes it.
struct AppExtension {
  /// The extension points that the agent supports.
  enum Point: String, CaseIterable {
    case service = "com.apple.usernotifications.service"
    case content = "com.apple.usernotifications.content-extension"
  }

  /// The reason that the agent cannot use an extension, and the advice for the user.
  struct Problem: Error {
    let problem: String
    let advice: String
  }

  let point: Point
  /// The absolute path of the program, which can be missing: an app can be installed before it is built.
  let program: String
  /// The dictionary `NSExtension` of the manifest.
  let about: [String: Any]

  /// Reads an extension's folder.
  ///
  /// - Throws: The reason that the agent ignores the extension.
  init(folder: String) throws(Problem) {
    guard let list = AppManifest.list(folder) else {
      guard let text = AppManifest.problem(folder: folder).map({ ProblemText($0) }) else {
        throw Self.ignored(folder, "it has no Info.plist", do: "add one")
      }
      throw Self.ignored(folder, text.problem, do: text.advice ?? "correct the file")
    }
    guard let about = list["NSExtension"] as? [String: Any],
      let identifier = about["NSExtensionPointIdentifier"] as? String
    else {
      throw Self.ignored(
        folder, "its manifest has no NSExtensionPointIdentifier in NSExtension",
        do: "add \(Self.expectedPoints)")
    }
    guard let point = Point(rawValue: identifier) else {
      throw Self.ignored(
        folder, "its NSExtensionPointIdentifier is '\(identifier)'",
        do: "use \(Self.expectedPoints)")
    }
    guard let name = list["CFBundleExecutable"] as? String, !name.isEmpty, !name.contains("/")
    else {
      throw Self.ignored(
        folder, "its manifest has no CFBundleExecutable, or one that contains a slash",
        do: "set it to the name of the extension's program")
    }
    self.point = point
    self.about = about
    program =
      ["", "Contents/Linux/", "Contents/MacOS/", "bin/"].map { "\(folder)/\($0)\(name)" }
      .first(where: FileSystem.exists) ?? "\(folder)/\(name)"
    assert(program.hasPrefix("\(folder)/"), "an extension's program is in the extension's folder")
  }

  /// Returns the folders of an app's extensions, ordered by name.
  static func folders(in app: String) -> [String] {
    ["\(app)/PlugIns", "\(app)/Contents/PlugIns"].flatMap { place in
      ((try? FileSystem.list(place)) ?? []).sorted().filter { $0.hasSuffix(".appex") }
        .map { "\(place)/\($0)" }
    }
  }

  private static var expectedPoints: String {
    Point.allCases.map(\.rawValue).joined(separator: " or ")
  }

  private static func ignored(_ folder: String, _ reason: String, do advice: String) -> Problem {
    Problem(
      problem: "the extension \(folder) is ignored, because \(reason)",
      advice: "\(advice), and run 'belfry app install' again")
  }
}

extension LocalApp {
  /// The reasons that the agent cannot use the app's extensions, each with the advice for the user.
  var extensionProblems: [AppExtension.Problem] {
    var problems: [AppExtension.Problem] = []
    var programs: [String] = []
    for folder in bundlePath.map(AppExtension.folders) ?? [] {
      do throws(AppExtension.Problem) {
        let program = try AppExtension(folder: folder).program
        programs.append(program)
        guard let problem = AppProgram.problem(at: program) else { continue }
        problems.append(
          .init(
            problem: "the extension \(folder) cannot be started, because \(problem)",
            advice:
              "build the program, or correct CFBundleExecutable and run 'belfry app install' again"
          ))
      } catch {
        problems.append(error)
      }
    }
    // A desktop file can name a program that is not in an extension's folder.
    if let program = installation?.serviceExtension, !programs.contains(program),
      let problem = AppProgram.problem(at: program)
    {
      problems.append(
        .init(
          problem: "the service extension cannot be started, because \(problem)",
          advice:
            "build the program, or correct the app's manifest and run 'belfry app install' again"))
    }
    return problems
  }
}
