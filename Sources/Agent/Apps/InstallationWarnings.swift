import AppWire
import Foundation
import System

/// Warnings about an app's program and extensions: they cannot be started, or use features that work differently on
/// Linux.
public enum InstallationWarnings {
  /// Returns the warnings, one sentence each; empty if the app cannot be read.
  public static func warnings(ofAppAt path: String) -> [String] {
    guard case .success(let app) = AppInstaller.read(path, languages: []),
      let installation = app.installation
    else { return [] }
    var warnings = app.extensionProblems.map { "\($0.problem): \($0.advice)" }
    if let file = installation.desktopFile {
      warnings += desktopFileWarnings(file, installation)
    } else {
      warnings += app.bundlePath.map(variableWarnings) ?? []
    }
    if !installation.isBusActivatable, let problem = installation.programProblem {
      warnings.insert(
        "the app cannot be started, because \(problem): \(installation.programAdvice)", at: 0)
    }
    guard let program = installation.executable else { return warnings }
    guard
      let bytes = try? FileSystem.readRegularFile(program, limit: Limits.examinedProgramBytes)
    else { return warnings }
    let content = Data(bytes)
    if languageSymbols.contains(where: { content.range(of: $0) != nil }) {
      warnings.append(
        "\(program) reads preferredLanguages from Foundation, which is always en-001 on Linux: "
          + "use Locale.userPreferredLanguages from Belfry's modules instead")
    }
    return warnings
  }

  /// Returns a warning for each value of a folder's manifest that contains a variable of Xcode.
  private static func variableWarnings(_ folder: String) -> [String] {
    let list = AppManifest.list(folder) ?? [:]
    return ["CFBundleDisplayName", "CFBundleName", "CFBundleExecutable"].compactMap { key in
      guard let value = list[key] as? String, BuildVariable.isContained(in: value) else {
        return nil
      }
      return
        "the \(key) in the manifest of \(folder) is '\(value)': write the value, because only Xcode replaces its "
        + "variables, and run 'belfry app install' again"
    }
  }

  /// Returns the warnings about the keys of a desktop file that the installation ignores or needs.
  private static func desktopFileWarnings(
    _ path: String, _ installation: LocalApp.Installation
  ) -> [String] {
    guard let bytes = try? FileSystem.readRegularFile(path, limit: 1 << 20) else { return [] }
    let entry = DesktopFile(String(decoding: bytes, as: UTF8.self))
    var warnings = unknownWords(
      in: entry, "X-Belfry-Entitlements", known: Entitlement.allCases.map(\.word),
      others: Entitlement.allCases.map(\.rawValue))
    warnings += unknownWords(in: entry, "X-Belfry-BackgroundModes", known: backgroundModes)
    if installation.executable == nil, !installation.isBusActivatable {
      let reason = entry.command.first.map { "the program '\($0)' is not on the PATH" }
      warnings.append(
        "the app cannot be started, because \(reason ?? "\(path) has no Exec"): "
          + "\(reason == nil ? "add" : "correct") Exec and run 'belfry app install' again")
    }
    return warnings
  }

  /// Returns a warning for each word of a list that has no effect.
  private static func unknownWords(
    in entry: DesktopFile, _ key: String, known: [String], others: [String] = []
  ) -> [String] {
    (entry[key] ?? "").split(separator: ";")
      .map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty && !known.contains($0) && !others.contains($0) }
      .map { word in
        "unknown word '\(word)' in \(key): use \(known.joined(separator: ", ")), and run 'belfry app install' again"
      }
  }

  /// The background modes that have an effect.
  private static let backgroundModes = [
    "remote-notification", "fetch", "processing", "audio", "location", "voip",
  ]

  /// The getters of `NSLocale.preferredLanguages` and `Locale.preferredLanguages` in Foundation (S0-54).
  private static let languageSymbols = [
    "$s10Foundation8NSLocaleC18preferredLanguagesSaySSGvgZ",
    "$s20FoundationEssentials6LocaleV18preferredLanguagesSaySSGvgZ",
  ].map { Data($0.utf8) }
}
