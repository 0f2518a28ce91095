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
      let advice =
        "build or install the program, or correct Exec and run 'belfry app install' again"
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

  @Test(arguments: [
    (
      "Exec=/bin/true\nX-Belfry-BackgroundModes=remote-notificaton;fetch;\n",
      "warning: unknown word 'remote-notificaton' in X-Belfry-BackgroundModes: use remote-notification, fetch, "
    ),
    (
      "Exec=/bin/true\nX-Belfry-Entitlements=aps-enviroment; time-sensitive;\n",
      "warning: unknown word 'aps-enviroment' in X-Belfry-Entitlements: use aps-environment, "
    ),
    ("", "org.example.typo.desktop has no Exec: add Exec and run 'belfry app install' again"),
    (
      "Exec=no-such-program\n",
      "warning: the app cannot be started, because the program 'no-such-program' is not on the PATH: correct Exec "
    ),
  ])
  func `A desktop file with an unknown word or without a program is installed with a warning`(
    lines: String, warning: String
  ) async throws {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      let file = scenario.folder.file("org.example.typo.desktop")
      try Data("[Desktop Entry]\nType=Application\nName=Typo\n\(lines)".utf8).write(
        to: URL(filePath: file))
      let result = try await scenario.tell(agent, "app", "install", file)
      #expect(result.errors.contains(warning), "\(result.errors)")
      #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
    }
  }

  @Test func `An extension that the agent cannot use is named by the installation and by doctor`()
    async throws
  {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      let folder = scenario.folder.file("Pantry.app")
      let plugIn = folder + "/PlugIns/PantryService.appex"
      let program = plugIn + "/PantryService"
      try FileManager.default.createDirectory(atPath: plugIn, withIntermediateDirectories: true)
      func put(_ text: String, at path: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
      }
      func list(_ members: String) -> String { "<plist><dict>\(members)</dict></plist>" }
      func member(_ key: String, _ value: String) -> String {
        "<key>\(key)</key><string>\(value)</string>"
      }
      func point(_ name: String) -> String {
        "<key>NSExtension</key><dict>\(member("NSExtensionPointIdentifier", name))</dict>"
      }
      func problems() async throws -> [String] {
        let installed = try await scenario.tell(agent, "app", "install", folder)
        let details = try await scenario.tell(agent, "doctor", "--json").values
          .filter { $0["feature"].string == "app com.example.pantry" }
          .compactMap { row in row["detail"].string.map { "\($0): \(row["do"].string ?? "")" } }
          .filter { $0.contains(plugIn) }
        #expect(
          details.allSatisfy { installed.errors.contains("warning: \($0)\n") },
          "\(installed.errors)")
        return details
      }
      try put(list(member("CFBundleIdentifier", "com.example.pantry")), at: folder + "/Info.plist")
      #expect(
        try await problems() == [
          "the extension \(plugIn) is ignored, because it has no Info.plist: add one, and run "
            + "'belfry app install' again"
        ])
      let executable = member("CFBundleExecutable", "PantryService")
      let service = "com.apple.usernotifications.service"
      for (manifest, reason) in [
        ("junk", "is ignored, because \(plugIn)/Info.plist is not a property list: "),
        (
          list(executable),
          "is ignored, because its manifest has no NSExtensionPointIdentifier in NSExtension: add \(service) or "
        ),
        (
          list(executable + point("com.apple.usernotification.service")),
          "is ignored, because its NSExtensionPointIdentifier is 'com.apple.usernotification.service': use "
            + "\(service) or "
        ),
        (list(point(service)), "is ignored, because its manifest has no CFBundleExecutable, or "),
        (
          list(executable + point(service)),
          "cannot be started, because \(program) does not exist: build the program, or "
        ),
      ] {
        try put(manifest, at: plugIn + "/Info.plist")
        let found = try await problems()
        #expect(
          found.count == 1 && found[0].hasPrefix("the extension \(plugIn) \(reason)"), "\(found)")
      }
      // Doctor checks the program each time, because it can be built after the installation.
      try put("#!/bin/sh\n", at: program)
      let details = try await scenario.tell(agent, "doctor", "--json").values
        .compactMap { $0["detail"].string }
      #expect(details.contains { $0.hasSuffix("because \(program) is not executable") })
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
      #expect(try await problems().isEmpty)
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

  @Test func `Variables that only Xcode replaces are reported, and are not used as a name`()
    async throws
  {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      let folder = scenario.folder.file("Burger.app")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      func put(id: String) throws {
        let manifest: [String: Any] = [
          "CFBundleIdentifier": id, "CFBundleName": "$(PRODUCT_NAME)", "CFBundleExecutable": "true",
        ]
        try PropertyListSerialization.data(fromPropertyList: manifest, format: .xml, options: 0)
          .write(to: URL(filePath: folder + "/Info.plist"))
      }
      try put(id: "$(PRODUCT_BUNDLE_IDENTIFIER)")
      let refused = try await scenario.belfryCommand(
        ["app", "install", folder, "--socket", agent.socket], succeeding: false)
      #expect(
        refused.errors.contains(
          "invalid CFBundleIdentifier '$(PRODUCT_BUNDLE_IDENTIFIER)' in the manifest of \(folder): write the app's ID, "
        ), "\(refused.errors)")
      try put(id: "org.example.burger")
      let installed = try await scenario.tell(agent, "app", "install", folder, "--json")
      #expect(
        installed.errors.contains(
          "warning: the CFBundleName in the manifest of \(folder) is '$(PRODUCT_NAME)': write the value, "
        ),
        "\(installed.errors)")
      #expect(installed.values.first?["name"].string == "org.example.burger")
    }
  }

  @Test(arguments: [
    ("Burger.app/Info.plist", "install the folder "),
    ("build/burger", "expected a file such as org.example.app.desktop, or an app's folder"),
  ])
  func `A file that is not a desktop file is refused with a path or a form to use`(
    name: String, advice: String
  ) async throws {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      let file = URL(filePath: scenario.folder.file(name))
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data("junk".utf8).write(to: file)
      let result = try await scenario.belfryCommand(
        ["app", "install", file.path, "--socket", agent.socket], succeeding: false)
      #expect(
        result.errors.contains("\(name) is neither a .desktop file nor an app's folder: \(advice)"),
        "\(result.errors)")
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
