import Foundation
import System

/// Known differences between Linux and Apple's systems that an app's program shows, for the person who installs it.
public enum InstallationWarnings {
  /// The differences, a sentence each; none where the app cannot be read.
  public static func warnings(ofAppAt path: String) -> [String] {
    guard case .success(let app) = AppInstaller.read(path, languages: []),
      let program = app.installation?.executable,
      let bytes = try? FileSystem.readRegularFile(program, limit: Limits.examinedProgramBytes)
    else { return [] }
    let content = Data(bytes)
    guard languageSymbols.contains(where: { content.range(of: $0) != nil }) else { return [] }
    return [
      "\(program) reads preferredLanguages of Foundation, which are en-001 on Linux whatever the device's languages are: "
        + "use Locale.userPreferredLanguages of Belfry's modules"
    ]
  }

  /// The getters of `NSLocale.preferredLanguages` and `Locale.preferredLanguages` in Foundation (S0-54).
  private static let languageSymbols = [
    "$s10Foundation8NSLocaleC18preferredLanguagesSaySSGvgZ",
    "$s20FoundationEssentials6LocaleV18preferredLanguagesSaySSGvgZ",
  ].map { Data($0.utf8) }
}
