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

  /// The getters of `NSLocale.preferredLanguages` and `Locale.preferredLanguages` in Foundation (S0-54).
  private static let languageSymbols = [
    "$s10Foundation8NSLocaleC18preferredLanguagesSaySSGvgZ",
    "$s20FoundationEssentials6LocaleV18preferredLanguagesSaySSGvgZ",
  ].map { Data($0.utf8) }
}
