import Foundation
import TestSupport
import Testing

/// Tests of the warnings of `belfry app install`.
@Suite(.timeLimit(.minutes(60))) struct InstallationWarningTests {
  @Test func `An app whose program is missing is installed with a warning`() async throws {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      let program = scenario.folder.file("unbuilt")
      let file = scenario.folder.file("org.example.unbuilt.desktop")
      try Data("[Desktop Entry]\nName=Unbuilt\nExec=\(program)\n".utf8).write(
        to: URL(filePath: file))
      let result = try await scenario.tell(agent, "app", "install", file)
      let advice = "build the program, or correct Exec and run 'belfry app install' again"
      #expect(
        result.errors.contains(
          "warning: the app cannot be started, because \(program) does not exist: \(advice)"),
        "\(result.errors)")
      let doctor = try await scenario.tell(agent, "doctor", "--json")
      let finding = doctor.values.first { $0["feature"].string == "app org.example.unbuilt" }
      #expect(finding?["state"].string == "attention")
      #expect(
        finding?["detail"].string == "cannot be started, because \(program) does not exist")
      #expect(finding?["do"].string == advice)
      try await scenario.tell(
        agent, "notify", "--app", "org.example.unbuilt", "--title", "Open me", "--id", "o")
      let opened = try await scenario.belfryCommand(
        ["center", "open", "o", "--socket", agent.socket], succeeding: false)
      #expect(opened.status == 1)
      #expect(opened.errors.contains("\(program) does not exist: \(advice)"), "\(opened.errors)")
    }
  }

  @Test func `A manifest that cannot be used is refused with the reason`() async throws {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      for (manifest, reason) in [
        ("<plist><dict>", "is not a property list"),
        ("<plist><dict></dict></plist>", "has no CFBundleIdentifier"),
      ] {
        let folder = scenario.folder.file("Burger.app")
        try FileManager.default.createDirectory(
          atPath: folder, withIntermediateDirectories: true)
        try Data(manifest.utf8).write(to: URL(filePath: folder + "/Info.plist"))
        let result = try await scenario.belfryCommand(
          ["app", "install", folder, "--socket", agent.socket], succeeding: false)
        #expect(result.status == 1)
        #expect(result.errors.contains("\(folder)/Info.plist \(reason)"), "\(result.errors)")
      }
    }
  }

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
