import Foundation
import System

/// Warnings about features that an app's program uses and that work differently on Linux.
public enum InstallationWarnings {
  /// Returns the warnings, one sentence each; empty if the app cannot be read.
  public static func warnings(ofAppAt path: String) -> [String] {
    guard case .success(let app) = AppInstaller.read(path, languages: []),
      let program = app.installation?.executable,
      let bytes = try? FileSystem.readRegularFile(program, limit: Limits.examinedProgramBytes)
    else { return [] }
    let content = Data(bytes)
    guard languageSymbols.contains(where: { content.range(of: $0) != nil }) else { return [] }
    return [
      "\(program) reads preferredLanguages from Foundation, which is always en-001 on Linux: "
        + "use Locale.userPreferredLanguages from Belfry's modules instead"
    ]
  }

  /// The getters of `NSLocale.preferredLanguages` and `Locale.preferredLanguages` in Foundation (S0-54).
  private static let languageSymbols = [
    "$s10Foundation8NSLocaleC18preferredLanguagesSaySSGvgZ",
    "$s20FoundationEssentials6LocaleV18preferredLanguagesSaySSGvgZ",
  ].map { Data($0.utf8) }
}
