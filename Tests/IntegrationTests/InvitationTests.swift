import BelfryWire
import Foundation
import System
import TestSupport
import Testing
import Transport

@testable import Tool

/// Tests of joining a gateway: with the line from `belfry device invite`, or without it if the same user runs the
/// gateway.
@Suite struct InvitationTests {
  /// An environment in which the word `belfry` in the pasted line runs this build.
  private var path: [String: String] {
    ["PATH": Installation.products + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")]
  }

  private func invitation(_ scenario: Scenario, _ gateway: GatewayProgram) async throws -> JSONLine
  {
    let answer = try await scenario.belfryCommand([
      "device", "invite", "--data", gateway.data, "--json",
    ])
    // The warning explains why another machine can't connect.
    #expect(answer.errors.contains("warning: the gateway listens only on this machine"))
    #expect(answer.errors.contains("works only here: to invite other machines, "))
    #expect(answer.errors.contains("--host 0.0.0.0 --name NAME"))
    return try #require(answer.values.first)
  }

  @Test func `The advice about other machines asks for no name if the gateway has one`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway(options: ["--name", "push.example.org"])
      let invited = try await scenario.belfryCommand(["device", "invite", "--data", gateway.data])
      #expect(invited.errors.contains("restart the gateway with --host 0.0.0.0"))
      #expect(!invited.errors.contains("--name"), "\(invited.errors)")
      let doctor = try await scenario.belfryCommand(
        ["doctor", "--gateway", "--data", gateway.data, "--json"], succeeding: false)
      let reach = try #require(doctor.values.first { $0["feature"].string == "reach" })
      let advice = "to let other machines reach it, start the gateway with --host 0.0.0.0"
      #expect(reach["do"].string == advice, "\(reach)")
    }
  }

  @Test func `The printed line, pasted into a shell, makes a device that gets pushes`() async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let answer = try await scenario.belfryCommand(["device", "invite", "--data", gateway.data])
      let line = try #require(answer.lines.first)
      #expect(answer.lines.count == 1 && line.hasPrefix("belfry agent --gateway belfry://"))
      let data = scenario.folder.file("kiosk")
      let agent = try scenario.start(
        [
          "/bin/sh", "-c",
          line + " --data \(data) --socket \(data).sock --grant all --presenter json",
        ], environment: path)
      _ = try await agent.event("link") { $0["state"].string == "up" }
      let app = try scenario.belfry([
        "app", "run", "com.example.kiosk", "--authorize", "alert", "--register", "--state",
        "background", "--socket", data + ".sock",
      ])
      let token = try #require(try await app.event("registered")["token"].string)
      _ = try await scenario.belfryCommand([
        "send", token, "--gateway", gateway.file, "--topic", "com.example.kiosk", "--title", "Hi",
      ])
      #expect(try await agent.event("presented")["title"].string == "Hi")
    }
  }

  @Test func `Without a gateway, the advice is one of the options that the command has`()
    async throws
  {
    try await Scenario.run { scenario in
      let answer = try await scenario.belfryCommand(["device", "invite"], succeeding: false)
      #expect(answer.status == 1 && answer.lines.isEmpty, "\(answer)")
      #expect(
        answer.errors.hasSuffix(
          "run this command on the gateway's machine, or specify the gateway's data folder with "
            + "--data\n"), "\(answer.errors)")
    }
  }

  @Test func `No invitation is printed with a name that the certificate does not have`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway(options: ["--name", "push.example.org"])
      for (host, isRefused) in [
        ("push.example.org", false), ("127.0.0.1", false), ("other.example.org", true),
        ("192.0.2.7", true),
      ] {
        let answer = try await scenario.belfryCommand(
          ["device", "invite", "--data", gateway.data, "--host", host], succeeding: false)
        #expect(answer.status == (isRefused ? 1 : 0), "\(answer)")
        #expect(answer.lines.count == (isRefused ? 0 : 1))
        #expect(
          answer.errors.contains("certificate is not valid for \(host)") == isRefused,
          "\(answer.errors)")
      }
      try await gateway.stop()
      // A name that the first authority doesn't permit has its own certificate.
      let renamed = try await scenario.gateway(
        options: ["--name", "push.example.org", "--name", "new.example.org"])
      let answer = try await scenario.belfryCommand([
        "device", "invite", "--data", renamed.data, "--host", "new.example.org",
      ])
      #expect(!answer.errors.contains("certificate is not valid for"), "\(answer.errors)")
    }
  }

  @Test func `An invitation contains the address and the port of a load balancer`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway(options: ["--name", "push.example.org"])
      func invite(_ options: String...) async throws -> Scenario.CommandResult {
        try await scenario.belfryCommand(
          ["device", "invite", "--data", gateway.data, "--json"] + options, succeeding: false)
      }
      for (address, host) in [("push.example.org:443", "push.example.org"), ("[::1]:443", "::1")] {
        let answer = try await invite("--address", address)
        #expect(answer.values.first?["host"].string == host, "\(answer)")
        #expect(answer.values.first?["port"].integer == 443)
        let text = answer.values.first?["invitation"].string ?? ""
        #expect(try Invitation.parse(text).port == 443)
        // The load balancer listens for other machines.
        #expect(answer.errors.isEmpty, "\(answer.errors)")
      }
      let unknown = try await invite("--address", "other.example.org:443")
      #expect(unknown.errors.contains("certificate is not valid for other.example.org"))
      for address in ["push.example.org", "push.example.org:0", "a b:443"] {
        let invalid = try await invite("--address", address)
        #expect(invalid.status == 2)
        #expect(
          invalid.errors.contains("invalid value '\(address)' for --address: expected HOST:PORT"),
          "\(invalid.errors)")
      }
      let hint = try await invite("--host", "127.0.0.1:443")
      #expect(hint.errors.contains("with a port, use --address"), "\(hint.errors)")
      let both = try await invite("--host", "127.0.0.1", "--address", "127.0.0.1:443")
      #expect(both.status == 2 && both.errors.contains("--host and --address: use one of them"))
    }
  }

  @Test func `An invitation without --host names the first configured name that is not loopback`()
    async throws
  {
    try await Scenario.run { scenario in
      let names = ["localhost", "push.example.org", "push2.example.org"].flatMap { ["--name", $0] }
      for (name, options) in [("behind-a-proxy", []), ("open", ["--host", "0.0.0.0"])] {
        let gateway = try await scenario.gateway(name, options: names + options)
        let answer = try await scenario.belfryCommand([
          "device", "invite", "--data", gateway.data, "--json",
        ])
        #expect(answer.values.first?["host"].string == "push.example.org", "\(answer)")
        try await gateway.stop()
        let stopped = try await scenario.belfryCommand([
          "device", "invite", "--data", gateway.data, "--json",
        ])
        #expect(stopped.values.first?["host"].string == "push.example.org", "\(stopped)")
      }
    }
  }

  @Test func `Virtual devices take the same invitation, and a rotated code is in the next one`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let old = try #require(try await invitation(scenario, gateway)["invitation"].string)
      _ = try await scenario.belfryCommand(["device", "code", "--rotate", "--data", gateway.data])
      let line = try await invitation(scenario, gateway)
      let new = try #require(line["invitation"].string)
      #expect(new.contains(try #require(line["code"].string)) && new != old)
      for (name, invitation, event) in [("first", new, "registered"), ("second", old, "link")] {
        let devices = try scenario.belfry([
          "device", "run", "--gateway", invitation, "--data", scenario.folder.file(name), "--app",
          "com.example.app",
        ])
        let line = try await devices.event(event) { $0["state"].string != "up" }
        #expect(name == "first" ? line["token"].string != nil : line["state"].string == "down")
        try await devices.stop()
      }
    }
  }

  @Test
  func `An agent joins the user's own gateway automatically, unless the options say otherwise`()
    async throws
  {
    try await Scenario.run { scenario in
      // Use the default folder: $XDG_STATE_HOME/belfry/gateway.
      let gateway = try await scenario.gateway("belfry/gateway")
      let agent = try await scenario.agent(of: nil)
      _ = try await agent.program.event("link") { $0["state"].string == "up" }
      let unlinked = try await scenario.agent("unlinked", of: nil, options: ["--gateway", "none"])
      let doctor = try await scenario.belfryCommand([
        "doctor", "--json", "--socket", unlinked.socket,
      ])
      let finding = doctor.values.first { $0["feature"].string == "gateway" }
      #expect(finding?["detail"].string == "none: local notifications only")
      // Only the address is given, because the authority is already known.
      let addressed = try await scenario.agent(
        "addressed", of: nil,
        options: ["--gateway", "\(gateway.host):\(gateway.port("device"))"])
      _ = try await addressed.program.event("link") { $0["state"].string == "up" }
    }
  }

  @Test func `An agent that joined by invitation joins the same gateway at its next start`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway("other")
      let line = try await scenario.belfryCommand([
        "device", "invite", "--data", gateway.data, "--host", gateway.host, "--json",
      ])
      let invitation = try #require(line.values.first?["invitation"].string)
      func join(_ options: [String]) async throws {
        let agent = try await scenario.agent(of: nil, options: options)
        _ = try await agent.program.event("link") { $0["state"].string == "up" }
        #expect(try await agent.program.stop() == 0)
      }
      func devices(of gateway: GatewayProgram) async throws -> Int {
        try await scenario.belfryCommand(["device", "list", "--data", gateway.data, "--json"])
          .values.count
      }
      try await join(["--gateway", invitation])
      // The user's own gateway starts after the agent has joined the other gateway.
      let own = try await scenario.gateway("belfry/gateway")
      try await join([])
      #expect(try await devices(of: own) == 0)
      // Neither a start without a gateway nor a refused start changes the gateway that the agent remembers.
      let unlinked = try await scenario.agent(of: nil, options: ["--gateway", "none"])
      let refused = try await scenario.belfryCommand(
        [
          "agent", "--data", unlinked.data, "--socket", unlinked.socket + "2", "--gateway",
          own.data + "/gateway.json",
        ], succeeding: false)
      #expect(refused.status == 1 && refused.errors.contains("another agent is already running"))
      #expect(
        refused.errors.contains("'belfry doctor --socket \(unlinked.socket)2' names"),
        "\(refused.errors)")
      #expect(try await unlinked.program.stop() == 0)
      try await join([])
      #expect(try await devices(of: own) == 0)
      // Specifying another gateway makes the agent forget the gateway of the invitation.
      try await join(["--gateway", own.data + "/gateway.json"])
      #expect(try await devices(of: own) == 1)
      _ = try await gateway.stop()
      try await join([])
    }
  }

  @Test func `The advice for a missing enrollment code differs from the advice for a wrong one`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let options = [
        "--gateway", "\(gateway.host):\(gateway.port("device"))", "--ca", gateway.caFile,
      ]
      for (name, code, advice) in [
        ("none", [], "rejected this device: add --enroll CODE"),
        ("wrong", ["--enroll", "AAAA"], "rejected this device: join with a new invitation"),
      ] {
        // Include the program's messages in its output, so that the test can wait for them.
        let data = scenario.folder.file(name)
        let agent = try scenario.start(
          [
            "/bin/sh", "-c", #"exec "$0" "$@" 2>&1"#, Installation.belfry, "agent", "--data", data,
            "--socket", data + ".sock", "--presenter", "json",
          ] + options + code)
        let lines = try await agent.output(called: "the gateway's refusal") {
          $0.contains { $0.contains("rejected this device") }
        }
        #expect(lines.contains { $0.contains(advice) }, "\(lines)")
        #expect(lines.contains { $0.contains("no code given") } == (name == "none"))
      }
    }
  }

  @Test func `The doctor names the cause of a missing link, and what to do about it`() async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let other = try await scenario.gateway("other")
      let device = gateway.port("device")
      let code = ["--enroll", gateway.enrollmentCode]
      let cases: [(String, Int, String, [String], String, String)] = [
        ("none", device, gateway.caFile, [], "no code given", "start the agent with --enroll CODE"),
        (
          "wrong", device, gateway.caFile, ["--enroll", "AAAA"], "wrong code",
          "the code is wrong or was rotated"
        ),
        (
          "authority", device, other.caFile, code, "unknown CA",
          "the gateway's CA certificate has changed: join again"
        ),
        (
          "port", gateway.port("provider"), gateway.caFile, code, "check the port",
          "check the port:"
        ),
        (
          "closed", ReservedPorts.next(), gateway.caFile, code, "not connected",
          "check that the gateway is running, and that"
        ),
      ]
      for (name, port, authority, code, problem, advice) in cases {
        let agent = try await scenario.agent(
          name, of: nil,
          options: ["--gateway", "\(gateway.host):\(port)", "--ca", authority] + code)
        _ = try await agent.program.event("link") { $0["state"].string == "down" }
        let doctor = try await scenario.belfryCommand([
          "doctor", "--json", "--socket", agent.socket,
        ])
        let row = try #require(doctor.values.first { $0["feature"].string == "gateway" })
        #expect(row["detail"].string?.contains(problem) == true, "\(name): \(row)")
        #expect(row["do"].string?.contains(advice) == true, "\(name): \(row)")
        #expect(row["detail"].string?.contains("wrong code") == (name == "wrong"), "\(row)")
        #expect(!agent.program.errors.contains("why=\"not connected"), "\(agent.program.errors)")
      }
    }
  }

  @Test func `A truncated or altered invitation is refused before any network request`() throws {
    let authority = try CertificateAuthority.forTests()
    let gateway = DeviceGateway(
      host: "2001:db8::1", port: 5_223, authorityPEM: authority.certificatePEM,
      enrollmentCode: "ABCD-EFGH")
    let text = try Invitation.text(of: gateway)
    let parsed = try Invitation.parse(text)
    #expect(parsed.host == gateway.host && parsed.port == 5_223)
    #expect(parsed.enrollmentCode == "ABCD-EFGH")
    #expect(try Certificate(pem: parsed.authorityPEM) == Certificate(pem: gateway.authorityPEM))
    for length in 0..<text.count where length >= Invitation.scheme.count {
      #expect(throws: DeviceGateway.Problem.self) {
        try Invitation.parse(String(text.prefix(length)))
      }
    }
    #expect(throws: DeviceGateway.Problem.self) { try Invitation.parse(text + "/x") }
    let long = Invitation.scheme + String(repeating: "a", count: 100_000)
    #expect(throws: DeviceGateway.Problem.self) { try Invitation.parse(long) }
  }

  @Test func `An invitation can be read from a file, which keeps it out of the process list`()
    throws
  {
    let folder = try ScratchFolder()
    let file = folder.file("invitation")
    let gateway = DeviceGateway(
      host: "gate.example", port: 5_223,
      authorityPEM: try CertificateAuthority.forTests().certificatePEM,
      enrollmentCode: "CODE")
    let text = try Invitation.text(of: gateway) + "\n"
    try text.write(toFile: file, atomically: true, encoding: .utf8)
    let options = try CommandLineOptions(["--gateway", file], by: AgentCommand.table)
    let read = try DeviceGateway(options)
    #expect(read.host == gateway.host && read.port == 5_223 && read.enrollmentCode == "CODE")
  }

  @Test func `Open gateways have invitations without a code`() throws {
    let authority = try CertificateAuthority.forTests()
    let gateway = DeviceGateway(
      host: "127.0.0.1", port: 1, authorityPEM: authority.certificatePEM, enrollmentCode: "")
    #expect(try Invitation.parse(Invitation.text(of: gateway)).enrollmentCode.isEmpty)
  }

  @Test func `An invitation in a file is for its owner only, and an agent joins with it`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let file = scenario.folder.file("invitation")
      let answer = try await scenario.belfryCommand([
        "device", "invite", "--data", gateway.data, "--out", file,
      ])
      #expect(answer.lines == ["belfry agent --gateway \(file)"])
      #expect(try FileSystem.mode(of: file) & 0o777 == 0o600)
      #expect(!answer.output.contains(gateway.enrollmentCode))
      for (out, message) in [
        (file, "\(file) already exists: choose another --out, or move the file away"),
        (
          scenario.folder.file("none/invitation"),
          "the folder \(scenario.folder.file("none")) does not exist: create the folder"
        ),
      ] {
        let refused = try await scenario.belfryCommand(
          ["device", "invite", "--data", gateway.data, "--out", out], succeeding: false)
        #expect(refused.status == 1 && refused.lines.isEmpty, "\(refused)")
        #expect(refused.errors.contains(message), "\(refused.errors)")
      }
      let agent = try await scenario.agent(of: nil, options: ["--gateway", file])
      _ = try await agent.program.event("link") { $0["state"].string == "up" }
    }
  }

  @Test(.requires(.zbarimg)) func `The QR code of an invitation can be read by another program`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let text = try #require(try await invitation(scenario, gateway)["invitation"].string)
      let answer = try await scenario.belfryCommand([
        "device", "invite", "--data", gateway.data, "--qr",
      ])
      let rows = answer.lines.dropFirst()
      #expect(rows.count > 40 && Set(rows.map(\.count)).count == 1)
      // Each character shows two modules, one above the other. A reader needs several pixels for each module.
      var upper = [[Bool]]()
      for row in rows {
        upper.append(row.map { "█▀".contains($0) })
        upper.append(row.map { "█▄".contains($0) })
      }
      var image = "P1 \(4 * (upper.first?.count ?? 0)) \(4 * upper.count)\n"
      for row in upper {
        let line = row.map { String(repeating: $0 ? "0 " : "1 ", count: 4) }.joined() + "\n"
        image += String(repeating: line, count: 4)
      }
      let file = scenario.folder.file("code.pbm")
      try image.write(toFile: file, atomically: true, encoding: .utf8)
      let read = try await scenario.command([
        try TestTool.zbarimg.required(), "--quiet", "--raw", "-Sdisable", "-Sqrcode.enable", file,
      ])
      #expect(read.output == text)
    }
  }

  @Test func `An agent joins a gateway that starts later, its own or one that it is given`()
    async throws
  {
    try await Scenario.run { scenario in
      let file = scenario.folder.file("later/gateway.json")
      let named = try await scenario.agent("named", of: nil, options: ["--gateway", file])
      let own = try await scenario.agent("own", of: nil)
      let app = try scenario.belfry([
        "app", "run", "com.example.app", "--authorize", "alert", "--register", "--state",
        "background", "--socket", named.socket,
      ])
      let failure = try await app.event("registrationFailed")
      #expect(failure["reason"].string == "gatewayUnreachable")
      #expect(failure["message"].string?.contains("\(file) does not exist") == true)
      let doctor = try await scenario.belfryCommand(["doctor", "--json", "--socket", named.socket])
      let finding = doctor.values.first { $0["feature"].string == "gateway" }
      #expect(finding?["detail"].string == "no file \(file): waiting for a gateway to start there")
      #expect(finding?["do"].string == "start the gateway, or correct the path in --gateway")
      let warnings = named.program.errors.split(separator: "\n").filter { $0.contains(" warning ") }
      #expect(warnings.count == 1 && warnings.first?.contains("no such file") == true)
      #expect(warnings.first?.contains(file) == true, "\(warnings)")
      let gateways = [
        try await scenario.gateway("later"), try await scenario.gateway("belfry/gateway"),
      ]
      for (agent, gateway) in zip([named, own], gateways) {
        _ = try await agent.program.event("link") { $0["state"].string == "up" }
        let lines = agent.program.errors.split(separator: "\n")
        #expect(lines.count { $0.contains("start") && $0.contains(gateway.data) } == 2, "\(lines)")
      }
      // The app's earlier request to register now receives its token.
      #expect(try await app.event("registered")["token"].string != nil)
    }
  }

  @Test func `A gateway that can never start is still an error`() async throws {
    try await Scenario.run { scenario in
      for text in ["localhost", "nowhere/invitation.txt"] {
        let answer = try await scenario.belfryCommand(
          ["agent", "--gateway", text], succeeding: false)
        #expect(
          answer.status == 1
            && answer.errors.contains("invalid value '\(text)' for --gateway (no such file): "))
        #expect(
          answer.errors.contains("HOST:PORT, an invitation or an invitation file"),
          "\(answer.errors)")
        #expect(!answer.errors.contains("'belfry gateway'"), "\(answer.errors)")
      }
      let picture = scenario.folder.file("plate.png")
      try Data([0x89, 0x50, 0x4E, 0x47]).write(to: URL(fileURLWithPath: picture))
      let answer = try await scenario.belfryCommand(
        ["agent", "--gateway", picture], succeeding: false)
      #expect(
        answer.errors.contains("'\(picture)' for --gateway (not a JSON object): expected"),
        "\(answer.errors)")
    }
  }
}
