import BelfryProvider
import Foundation
import TestSupport
import Testing

private let app = "com.example.app"

/// Tests of the delivery log's payloads (`belfry gateway --log-payloads`) in the admin API.
@Suite(.timeLimit(.minutes(60)), .requires(.curl)) struct LogPayloadTests {
  private func client(of gateway: GatewayProgram) throws -> ProviderClient {
    func read(_ path: String) throws -> [UInt8] {
      [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }
    return try ProviderClient(
      .init(
        endpoint: ProviderEndpoint(host: gateway.host, port: UInt16(gateway.port("provider"))),
        credentials: .token(
          ProviderKey(
            p8: read(gateway.keyFile), keyID: gateway.keyID, teamID: gateway.teamID)),
        authorityPEM: read(gateway.caFile)))
  }

  /// Sends a request, with the admin token if `isAdministrator` is true; returns the API's answer and its status.
  private func ask(
    _ scenario: Scenario, _ gateway: GatewayProgram, _ id: String, isAdministrator: Bool = true
  ) async throws -> (status: String, body: JSONLine) {
    let token = try String(contentsOfFile: gateway.data + "/admin-token", encoding: .utf8)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    let answer = try await scenario.command(
      [
        try TestTool.curl.required(), "--silent", "--write-out", "\\n%{http_code}\\n",
        "http://127.0.0.1:\(gateway.port("console"))/api/log/payload?id=\(id)",
      ] + (isAdministrator ? ["--header", "authorization: Bearer \(token)"] : []))
    let body = try #require(answer.lines.first.flatMap { JSONLine($0) }, "\(answer.output)")
    return (answer.lines.last ?? "", body)
  }

  @Test
  func `Payloads of accepted and refused pushes and of broadcasts are shown to administrators`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway(options: ["--loops", "2", "--log-payloads", "100"])
      _ = try await scenario.belfryCommand([
        "topic", "add", app, "--team", gateway.teamID, "--broadcast", "on", "--data", gateway.data,
      ])
      let devices = try scenario.devices(of: gateway, topics: [app], options: ["--count", "4"])
      let client = try client(of: gateway)
      func push(_ payload: String, to token: String) async throws -> String {
        for try await one in client.send([
          Push(to: token, topic: app, payload: Array(payload.utf8))
        ]) {
          switch one.result {
          case .success(.accepted(let receipt)): return receipt.id
          case .success(.rejected(let refusal)): return refusal.id
          case .failure(let failure): throw failure
          }
        }
        return "none"
      }
      // The four device numbers are distributed over both loops.
      for number in 0..<4 {
        let payload = #"{"aps":{"alert":"\#(number) ä"}}"#
        let id = try await push(payload, to: try await devices.token())
        let answer = try await ask(scenario, gateway, id)
        #expect(answer.status == "200" && answer.body["payload"].string == payload)
        #expect(answer.body["apnsID"].string?.lowercased() == id.lowercased())
        let unique = try #require(answer.body["uniqueID"].string)
        #expect(try await ask(scenario, gateway, unique).body["payload"].string == payload)
        let stranger = try await ask(scenario, gateway, id, isAdministrator: false)
        #expect(stranger.status == "401" && stranger.body["payload"] == .null)
      }
      for payload in [#"{"aps":{"alert":"refused"}}"#, "[no object"] {
        let id = try await push(payload, to: "00ff")
        let answer = try await ask(scenario, gateway, id)
        #expect(answer.status == "200" && answer.body["payload"].string == payload)
        #expect(answer.body["uniqueID"] == .null)
      }
      let channel = try await client.createChannel(of: app, storage: .none)
      let goal = LiveActivityContent(.update, state: ["score": "1:0"])
      guard
        case .accepted(let receipt) = try await client.send(
          BroadcastPush(goal, to: channel, of: app))
      else {
        Issue.record("the broadcast was refused")
        return
      }
      let broadcast = try await ask(scenario, gateway, receipt.id)
      #expect(broadcast.body["payload"].string?.contains("1:0") == true)
      let unknown = try await ask(scenario, gateway, "00000000-0000-4000-8000-000000000000")
      #expect(unknown.status == "404")
      #expect(unknown.body["advice"].string?.contains("keeps only the newest 100 ") == true)
      #expect(try await ask(scenario, gateway, "00ff").status == "400", "00ff is not an identifier")
    }
  }

  @Test func `Without the option, the answer names it`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let devices = try scenario.devices(of: gateway, topics: [app])
      let pushed = try await scenario.push("hello", to: try await devices.token(), through: gateway)
      let answer = try await ask(scenario, gateway, try #require(pushed["apnsID"].string))
      #expect(answer.status == "404")
      #expect(answer.body["advice"].string?.contains("--log-payloads N") == true)
      let many = try await scenario.belfryCommand(
        ["gateway", "--log-payloads", "10001"], succeeding: false)
      #expect(many.status == 2 && many.errors.contains("0-10000"), "\(many.errors)")
    }
  }
}
