@testable import BelfryClient
import AppWire
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

  /// Returns the bundle of a folder with this manifest.
  private func bundle(_ name: String, _ manifest: [String: Any], in scratch: ScratchFolder) throws
    -> Bundle
  {
    let folder = URL(fileURLWithPath: scratch.file(name), isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try PropertyListSerialization.data(fromPropertyList: manifest, format: .xml, options: 0)
      .write(to: folder.appendingPathComponent("Info.plist"))
    return try #require(Bundle(path: folder.path))
  }

  @Test
  func `In a build folder, the environment's id takes precedence over the manifest`() throws {
    let scratch = try ScratchFolder()
    defer { withExtendedLifetime(scratch) {} }
    let bundle = try bundle(
      "debug", ["CFBundleIdentifier": "org.example.bundle", "CFBundleName": "Bundle"], in: scratch)
    let identity = AppIdentity(bundle: bundle, environment: ["BELFRY_APP_ID": "org.example.b"])
    #expect(identity.appID == "org.example.b")
    #expect(identity.isDevelopment)
    #expect(identity.name == "Bundle")
    let unnamed = AppIdentity(bundle: bundle, environment: [:])
    #expect(unnamed.appID == "org.example.bundle")
    #expect(!unnamed.isDevelopment)
  }

  @Test(arguments: ["debug", "Bundle.app"])
  func `Variables that only Xcode replaces are ignored`(folder: String) throws {
    let scratch = try ScratchFolder()
    defer { withExtendedLifetime(scratch) {} }
    let bundle = try bundle(
      folder,
      [
        "CFBundleIdentifier": "$(PRODUCT_BUNDLE_IDENTIFIER)",
        "CFBundleDisplayName": "${PRODUCT_NAME}", "CFBundleName": "Plain",
      ], in: scratch)
    let identity = AppIdentity(bundle: bundle, environment: ["BELFRY_APP_ID": "org.example.b"])
    #expect(identity.appID == "org.example.b")
    #expect(identity.isDevelopment)
    #expect(identity.name == "Plain")
    #expect(AppIdentity(bundle: bundle, environment: [:]).appID == nil)
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
  func
    `The agent is started only in a login session and only if the environment does not disable it`()
  {
    let session = ["XDG_RUNTIME_DIR": "/run/user/1", "PATH": "/a:/b"]
    let all: (String) -> Bool = { ["/b/belfry", "/a/setsid"].contains($0) }
    func command(
      _ environment: [String: String], _ isExecutable: (String) -> Bool
    ) -> (executable: String, arguments: [String])? {
      AgentLauncher.command(environment, log: "/l", isExecutable: isExecutable)
    }
    #expect(command(session, all)?.executable == "/a/setsid")
    #expect(command(session, all)?.arguments.suffix(2) == ["/b/belfry", "/l"])
    #expect(command(["PATH": "/a:/b"], all) == nil)
    #expect(command(session) { _ in false } == nil)
    for (name, value) in [("BELFRY_SOCKET", "/s"), ("BELFRY_AGENT", "off")] {
      #expect(command(session.merging([name: value]) { $1 }, all) == nil)
    }
  }

  /// Returns the environment of an agent whose files are all in a scratch folder.
  private func agentEnvironment(in scratch: ScratchFolder) -> [String: String] {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return [
      "PATH": "\(Installation.products):\(path)", "XDG_RUNTIME_DIR": scratch.file("run"),
      "XDG_STATE_HOME": scratch.path, "HOME": scratch.path,
      "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent",
    ]
  }

  @Test
  func `An app whose registration failed is not registered`() throws {
    let scratch = try ScratchFolder()
    defer { withExtendedLifetime(scratch) {} }
    let agent = try #require(AgentLauncher.launch(agentEnvironment(in: scratch)))
    defer { kill(agent.pid, SIGKILL) }
    let session = AgentSession(
      identity: AppIdentity(bundle: .main, environment: ["BELFRY_APP_ID": "org.example.a"]),
      socketPath: scratch.file("run/belfry/agent.sock"))
    #expect(session.connect(waitingMilliseconds: 60_000) != nil)
    // The agent has no gateway, so it reports the failure before it answers the next request.
    session.send(.register(.alert))
    _ = try session.call(.settings)
    #expect(!session.isRegistered)
  }

  @Test
  func `An agent that an app starts has a log, and the app knows its process`() async throws {
    let scratch = try ScratchFolder()
    defer { withExtendedLifetime(scratch) {} }
    let data = scratch.file("belfry/agent")
    let agent = try #require(AgentLauncher.launch(agentEnvironment(in: scratch)))
    defer { kill(agent.pid, SIGKILL) }
    #expect(agent.log == data + "/agent.log")
    let socket = scratch.file("run/belfry/agent.sock")
    // The first attempts fail, because the agent isn't ready yet.
    let session = AgentSession(
      identity: AppIdentity(bundle: .main, environment: ["BELFRY_APP_ID": "org.example.a"]),
      socketPath: socket)
    #expect(session.connect(waitingMilliseconds: 60_000) != nil)
    let program = try FileManager.default.destinationOfSymbolicLink(
      atPath: "/proc/\(agent.pid)/exe")
    #expect(program.hasSuffix("/belfry"))
    let log = try String(contentsOfFile: agent.log, encoding: .utf8)
    #expect(log.contains("ready: apps can connect") && log.contains(socket), "\(log)")
    // The agent has neither a desktop nor a terminal, so the log explains how to answer.
    session.send(.requestAuthorization([.alert]))
    let advice = "'belfry settings org.example.a notifications=on'"
    var hasAdvice = false
    for _ in 0..<1_000 where !hasAdvice {
      _ = try session.call(.settings)
      hasAdvice = try String(contentsOfFile: agent.log, encoding: .utf8).contains(advice)
    }
    #expect(hasAdvice)
  }

  @Test
  func `Without an agent, each request says so`() async throws {
    let scratch = try ScratchFolder()
    defer { withExtendedLifetime(scratch) {} }
    let socket = scratch.file("agent.sock")
    let session = AgentSession(
      identity: AppIdentity(bundle: .main, environment: [:]), socketPath: socket)
    for _ in 0..<2 {
      let failure = #expect(throws: AppLinkFailure.self) { try session.call(.settings) }
      #expect(failure?.message == "no agent at \(socket): start it with 'belfry agent'")
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
