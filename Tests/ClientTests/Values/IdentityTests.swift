@testable import BelfryClient
import Foundation
import TestSupport
import Testing
@testable import UIKit

@Suite struct IdentityTests {
  @Test
  func `A bare executable has the id that the environment gives it, as a development app`() {
    let identity = AppIdentity(bundle: .main, environment: ["BELFRY_APP_ID": "org.example.a"])
    #expect(identity.appID == "org.example.a")
    #expect(identity.isDevelopment)
    #expect(AppIdentity(bundle: .main, environment: [:]).appID == nil)
    #expect(AppIdentity(bundle: .main, environment: ["BELFRY_APP_ID": ""]).appID == nil)
  }

  @Test
  func `A .app folder's manifest has the id, unless the agent that starts it says another`() throws
  {
    let scratch = try ScratchFolder()
    let folder = URL(fileURLWithPath: scratch.file("Bundle.app"), isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let manifest: [String: Any] = [
      "CFBundleIdentifier": "org.example.bundle", "CFBundleName": "Bundle",
      "UIBackgroundModes": ["remote-notification"],
      "NSLocationWhenInUseUsageDescription": "because",
    ]
    try PropertyListSerialization.data(fromPropertyList: manifest, format: .xml, options: 0)
      .write(to: folder.appendingPathComponent("Info.plist"))
    let bundle = try #require(Bundle(path: folder.path))
    let identity = AppIdentity(bundle: bundle, environment: ["BELFRY_APP_ID": "org.example.b"])
    #expect(identity.appID == "org.example.bundle")
    #expect(!identity.isDevelopment)
    #expect(identity.name == "Bundle")
    #expect(identity.backgroundModes == ["remote-notification"])
    #expect(identity.locationUsage == "because")
    let started = AppIdentity(
      bundle: bundle, environment: ["BELFRY_APP_ID": "org.example.b", "BELFRY_LAUNCH": "x"])
    #expect(started.appID == "org.example.b")
  }

  @Test(
    arguments: [
      (["LANG": "de_AT.UTF-8"], ["de-AT"]),
      (["LANG": "en_US.UTF-8", "LANGUAGE": "fr_CA:fr:en"], ["fr-CA", "fr", "en", "en-US"]),
      (["LANG": "C", "LANGUAGE": "fr"], ["en"]),
      (["LANG": "de_DE", "LC_MESSAGES": "it_IT.UTF-8"], ["it-IT"]),
      (["LC_ALL": "sr_RS@latin"], ["sr-Latn-RS"]),
      (["LANG": "zh_Hant_TW.UTF-8"], ["zh-Hant-TW"]),
      ([:], ["en"]),
    ] as [([String: String], [String])])
  func `Languages follow gettext's order`(_ environment: [String: String], _ tags: [String]) {
    #expect(EnvironmentLanguages.preferred(environment) == tags)
  }

  @Test
  func `The agent is started where there is a login session, and nobody declines it`() {
    let session = ["XDG_RUNTIME_DIR": "/run/user/1", "PATH": "/a:/b"]
    let all: (String) -> Bool = { ["/b/belfry", "/a/setsid"].contains($0) }
    let command = AgentLauncher.command(session, isExecutable: all)
    #expect(command?.executable == "/a/setsid")
    #expect(command?.arguments == ["--fork", "/b/belfry", "agent"])
    #expect(AgentLauncher.command(["PATH": "/a:/b"], isExecutable: all) == nil)
    #expect(AgentLauncher.command(session) { _ in false } == nil)
    for (name, value) in [("BELFRY_SOCKET", "/s"), ("BELFRY_AGENT", "off")] {
      #expect(
        AgentLauncher.command(session.merging([name: value]) { $1 }, isExecutable: all) == nil)
    }
  }

  @Test
  func `All apps of a vendor have one identifier, the same at each question`() throws {
    let scratch = try ScratchFolder()
    let folder = URL(fileURLWithPath: scratch.file("vendors"), isDirectory: true)
    let first = VendorIdentifier.read(vendor: "org.example", in: folder)
    #expect(first != nil)
    #expect(VendorIdentifier.read(vendor: "org.example", in: folder) == first)
    #expect(VendorIdentifier.read(vendor: "org.other", in: folder) != first)
    #expect(VendorIdentifier.read(vendor: "../x", in: folder) == nil)
  }
}
