@testable import Agent
import Foundation
import System
import TestSupport
import Testing

/// Tests of tokens over the life of a device: while it is offline, after its data moves to another machine, and after
/// it is set up again.
@Suite(.serialized, .timeLimit(.minutes(60))) struct RestoreExamples {
  private static let id = "org.example.Registration"

  /// Returns a gateway, a stopped device whose app registered with it, and the app's token.
  private func formerDevice(
    _ scenario: Scenario
  ) async throws -> (gateway: GatewayProgram, agent: AgentProgram, token: String) {
    let gateway = try await scenario.gateway()
    let agent = try await scenario.agent(of: gateway)
    let app = try await scenario.example("Registration", on: agent)
    let token = try await scenario.token(of: app)
    try await app.stop()
    try await agent.program.stop()
    return (gateway, agent, token)
  }

  @Test
  func
    `A backup on another machine is another device, which gets nothing until its apps have run there`()
    async throws
  {
    try await Scenario.run { scenario in
      let (gateway, first, token) = try await formerDevice(scenario)
      // Imitate a folder from another machine by changing only the machine key.
      let file = first.data + "/identity/identity.key"
      let kept = try FileSystem.read(file, limit: 10_000)
      let key = try #require(try DeviceKeySeal(machine: MachineIdentity.current()).open(kept))
      try FileSystem.write(try DeviceKeySeal(machine: Array("another".utf8)).seal(key), to: file)

      let second = try await scenario.agent(of: gateway)
      try await second.program.error("this data is from another machine")
      try await scenario.tell(second, "state", "front=none")
      let (_, marker) = try await scenario.app("org.example.marker", on: second)
      _ = try await scenario.belfryCommand(
        ["send", token, "--topic", Self.id, "--body", "early", "--gateway", gateway.file],
        succeeding: false)
      try await scenario.push(
        #"{"aps":{"alert":"mark"}}"#, to: marker, topic: "org.example.marker", of: gateway)
      _ = try await second.presented("org.example.marker")
      // The marker's app is registered, so any earlier registration would also have finished.
      let early = try await scenario.belfryCommand(
        ["app", "token", Self.id, "--socket", second.socket], succeeding: false)
      // S0-34 part 1 of 2: before the launch, the app has no token, and the earlier token delivers nothing
      // S1-16 part 1 of 3: the app has to be launched once
      #expect(early.status == 1 && early.lines.isEmpty)
      #expect(
        !second.program.lines.contains {
          $0.contains("early") || $0.contains(#""app":"\#(Self.id)"#)
        })

      let again = try await scenario.example("Registration", on: second)
      let other = try await scenario.token(of: again)
      // S0-35 part 1 of 2: restored to another device
      // S1-16 part 2 of 3: restored
      // S0-25 part 2 of 2: the registration returns a changed token
      // S1-15
      #expect(other != token)
      try await scenario.tell(second, "state", "front=none")
      try await scenario.push(#"{"aps":{"alert":"late"}}"#, to: other, topic: Self.id, of: gateway)
      // S0-34 part 2 of 2: everything after the launch
      #expect(await second.nextPresented(Self.id)["body"].string == "late")
    }
  }

  @Test
  func `After a gateway is set up again, a device's apps are registered without being launched`()
    async throws
  {
    try await Scenario.run { scenario in
      let (gateway, _, token) = try await formerDevice(scenario)
      try await gateway.stop()
      for suffix in ["", "-wal", "-shm"] {
        unlink(gateway.data + "/control.sqlite" + suffix)
      }
      let restored = try await scenario.restart(gateway, options: ["--recover"])
      let second = try await scenario.agent(of: restored)
      // The marker registers after the agent's automatic registrations.
      let (_, marker) = try await scenario.app("org.example.marker", on: second)
      let anew = try await scenario.tell(second, "app", "token", Self.id).output
      #expect(anew.count == token.count && anew != token && anew != marker)
      // The ready file contains the new identity's device number.
      let devices = try await scenario.belfryCommand([
        "device", "list", "--data", restored.data, "--json",
      ])
      let ready = try #require(
        JSONLine(String(contentsOfFile: second.data + "-ready.json", encoding: .utf8)))
      #expect(devices.output.contains(try #require(ready["device"].string)))
      try await scenario.push(#"{"aps":{"alert":"anew"}}"#, to: anew, topic: Self.id, of: restored)
      #expect(try await second.presented(Self.id)["body"].string == "anew")
    }
  }

  @Test
  func `A device that is set up again gets different tokens`() async throws {
    try await Scenario.run { scenario in
      let (gateway, _, token) = try await formerDevice(scenario)
      let second = try await scenario.agent("anew", of: gateway)
      let again = try await scenario.example("Registration", on: second)
      // S0-35 part 2 of 2: reinstalled
      // S1-16 part 3 of 3: reinstalled
      // S4-12
      #expect(try await scenario.token(of: again) != token)
    }
  }

  @Test
  func `A device that cannot check the gateway's certificate gets no token`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let stranger = try await scenario.gateway("stranger")
      let agent = try await scenario.agent(
        of: nil,
        options: [
          "--gateway", "\(gateway.host):\(gateway.port("device"))", "--ca", stranger.caFile,
          "--enroll", gateway.enrollmentCode,
        ])
      let app = try await scenario.example("Registration", on: agent)
      // S4-13 part 2 of 2: only over a trusted TLS connection
      #expect(await app.nextText("no token: ")?.contains("gateway") == true)
      try await agent.program.error("certificate")
      let devices = try await scenario.belfryCommand(
        ["device", "list", "--json", "--data", gateway.data])
      #expect(devices.values.isEmpty)
    }
  }

  @Test
  func `Offline, registering fails for now, and gives the token that is there already at once`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway)
      let known = try await scenario.example("Registration", on: agent)
      let token = try await scenario.token(of: known)
      try await known.stop()
      _ = try await agent.program.event("link") { $0["state"].string == "up" }
      try await gateway.stop()
      _ = try await agent.program.event("link") { $0["state"].string == "down" }

      let new = try await scenario.example("Registration", on: agent, app: "org.example.new")
      let error = await new.nextText("no token: ") ?? ""
      // S4-13 part 1 of 2: offline, the request fails
      #expect(error.contains("gateway"), "\(error)")
      try await new.stop()
      let again = try await scenario.example("Registration", on: agent)
      // S0-37
      // S1-17 part 1 of 2: the existing token is returned immediately, at no cost
      #expect(await again.nextText("token ") == "token \(token)")

      _ = try await scenario.restart(gateway)
      _ = try await agent.program.event("link") { $0["state"].string == "up" }
      let later = try await scenario.example("Registration", on: agent, app: "org.example.new")
      // S0-33
      #expect(await later.nextText("token ")?.count == 70)
    }
  }
}
