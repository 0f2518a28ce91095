import Foundation
import TestSupport
import Testing

/// Tests of the warnings of `belfry app install`.
@Suite(.timeLimit(.minutes(60))) struct InstallationWarningTests {
  @Test(arguments: [
    "$s10Foundation8NSLocaleC18preferredLanguagesSaySSGvgZ",
    "$s20FoundationEssentials6LocaleV18preferredLanguagesSaySSGvgZ",
    // This is a symbol from one of Belfry's modules.
    "$s20FoundationEssentials6LocaleV12BelfryClientE18preferredLanguagesSaySSGvgZ",
  ])
  func `Installing an app that reads Foundation's languages warns`(symbol: String) async throws {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      let program = scenario.folder.file("program")
      try Data("\u{7F}ELF\u{0}\(symbol)\u{0}".utf8).write(to: URL(filePath: program))
      let file = scenario.folder.file("org.example.languages.desktop")
      try Data("[Desktop Entry]\nName=Languages\nExec=\(program)\n".utf8).write(
        to: URL(filePath: file))
      let result = try await scenario.tell(agent, "app", "install", file)
      #expect(result.lines.contains { $0.contains("org.example.languages") })
      #expect(
        result.errors.contains("use Locale.userPreferredLanguages")
          == !symbol.contains("BelfryClient"), "\(result.errors)")
    }
  }
}
