import Foundation
import Glibc
import TestSupport
import Testing

/// A real token registry on a free port.
struct RegistryProgram: Sendable {
  let program: RunningProgram
  let data: String
  let address: String

  /// Kills the program with SIGKILL, to simulate a crash.
  func crash() async throws {
    program.signal(SIGKILL)
    try await program.end()
  }
}

extension Scenario {
  /// Starts a registry that serves one app and sends to `gateway`, and waits until the registry is ready.
  func registry(
    _ name: String = "registry", of gateway: GatewayProgram, topic: String,
    options: [String] = [], wrapper: [String] = []
  ) async throws -> RegistryProgram {
    let data = folder.file(name)
    let readyFile = data + "-ready.json"
    unlink(readyFile)
    let program = try start(
      wrapper + [
        Installation.belfry, "provider", "--data", data, "--port", "0", "--ready-file", readyFile,
        "--open", "--topic",
        topic, "--gateway", gateway.file,
      ] + options)
    let text = try await ScratchFolder.contents(of: readyFile) { !program.isRunning }
    let port = try #require(JSONLine(text)?["port"].integer, "\(text) \(program.errors)")
    return RegistryProgram(program: program, data: data, address: "http://127.0.0.1:\(port)")
  }

  /// Sends a request to the registry as its operator.
  func ask(_ registry: RegistryProgram, _ path: String, body: String? = nil) async throws
    -> CommandResult
  {
    let token = try String(contentsOfFile: registry.data + "/admin-token", encoding: .utf8)
    var arguments = [
      try TestTool.curl.required(), "--silent", "--show-error", "--fail-with-body", "--header",
      "authorization: Bearer \(token.trimmingCharacters(in: .whitespacesAndNewlines))",
      registry.address + path,
    ]
    if body != nil { arguments += ["--data-binary", "@-"] }
    return try await command(arguments, input: body)
  }

  /// Writes a file in the scenario's folder and returns its path.
  func write(_ text: String, to name: String) throws -> String {
    let path = folder.file(name)
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }
}

@Suite(.serialized, .timeLimit(.minutes(60)), .requires(.curl)) struct CampaignTests {
  private let topic = "com.example.app"

  @Test func `Without a provider at the usual place, nothing is created`() async throws {
    try await Scenario.run { scenario in
      let file = try scenario.write(#"{"topic":"a.b","alert":{"title":"Hi"}}"#, to: "campaign.json")
      let folder = scenario.folder.file("belfry/provider")
      for words in [["send", file], ["list"], ["status"], ["pause", "00"]] {
        let answer = try await scenario.belfryCommand(["campaign"] + words, succeeding: false)
        #expect(answer.status == 1 && answer.lines.isEmpty, "\(words)")
        #expect(
          answer.errors
            == "belfry: \(folder) is not a provider's data folder: start a provider with "
            + "'belfry provider', or use --data\n"
        )
        #expect(!FileManager.default.fileExists(atPath: folder))
      }
      // A mistyped folder, and a folder without a registry, are refused in the same way.
      try FileManager.default.createDirectory(
        atPath: scenario.folder.file("other"), withIntermediateDirectories: true)
      for wrong in [folder, scenario.folder.file("other")] {
        for words in [["send", file], ["list"], ["status"]] {
          let answer = try await scenario.belfryCommand(
            ["campaign"] + words + ["--data", wrong], succeeding: false)
          #expect(
            answer.status == 1
              && answer.errors.contains(
                "\(wrong) is not a provider's data folder: start a provider with 'belfry provider --data DIR', "
                  + "or specify"),
            "\(words) \(answer.errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: wrong + "/admin-token"))
      }
      // The command uses a specified folder even if no service is running.
      let ready = scenario.folder.file("ready.json")
      let provider = try scenario.belfry([
        "provider", "--data", folder, "--port", "0", "--ready-file", ready, "--topic", topic,
      ])
      _ = try await ScratchFolder.contents(of: ready) { !provider.isRunning }
      let second = try await scenario.belfryCommand(
        ["provider", "--data", folder, "--port", "0"], succeeding: false)
      #expect(
        second.status == 1 && second.errors.contains("such as another provider")
          && second.errors.contains("use another folder with --data"), "\(second.errors)")
      try await provider.stop()
      let list = try await scenario.belfryCommand(["campaign", "list", "--data", folder])
      #expect(list.errors == "belfry: no campaigns\n")
      let status = try await scenario.belfryCommand(["campaign", "status", "--data", folder])
      #expect(status.errors == "belfry: no campaigns\n" && status.output.isEmpty)
      let missing = scenario.folder.file("nofile")
      let refused = try await scenario.belfryCommand(
        ["campaign", "list", "--data", folder, "--admin-token", missing], succeeding: false)
      #expect(refused.status == 2 && refused.errors.contains(missing), "\(refused.errors)")
      #expect(try await scenario.belfryCommand(["campaign", "list"]).status == 0)
    }
  }

  @Test func `a campaign that is killed three times reaches each device once`() async throws {
    let count = 600
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let devices = try scenario.devices(
        of: gateway, topics: [topic], options: ["--count", "\(count)"])
      let printed = try await devices.program.output(
        called: "all registrations", within: TestTimeout.long
      ) { lines in lines.count { $0.contains(#""event":"registered""#) } >= count }
      let tokens = printed.compactMap { JSONLine($0)?["token"].string }
      #expect(Set(tokens).count == count)
      var registry = try await scenario.registry(of: gateway, topic: topic)
      let lines = tokens.enumerated().map { index, token in
        #"{"deviceToken":"\#(token)","language":"\#(index.isMultiple(of: 2) ? "fr-CA" : "ja")"}"#
      }
      let brought = try await scenario.ask(
        registry, "/tokens", body: lines.joined(separator: "\n"))
      #expect(brought.values.first?["added"].integer == count)
      #expect(try await registry.program.stop() == 0)

      let file = try scenario.write(
        #"{"topic":"\#(topic)","alert":{"en":{"body":"Hello"},"fr":{"body":"Salut"}}}"#,
        to: "campaign.json")
      func sending(_ verb: String, _ what: String, until accepted: Int) async throws -> (
        RunningProgram, String
      ) {
        var arguments = ["campaign", verb, what, "--json", "--data", registry.data]
        // Send slowly enough that even a busy machine starts a program before the campaign ends.
        if verb == "send" { arguments += ["--rate", "20/s"] }
        let program = try scenario.belfry(arguments + ["--gateway", gateway.file])
        let line = try await program.event("progress") { $0["accepted"].integer ?? 0 >= accepted }
        return (program, try #require(line["id"].string))
      }
      // The command is killed twice while it sends the campaign without a registry. Then the registry, which has
      // resumed the campaign, is killed.
      let (first, id) = try await sending("send", file, until: count / 12)
      first.signal(SIGKILL)
      try await first.end()
      let (second, _) = try await sending("resume", id, until: count / 6)
      second.signal(SIGKILL)
      try await second.end()
      registry = try await scenario.registry(of: gateway, topic: topic)
      let (third, _) = try await sending("resume", id, until: count / 4)
      try await registry.crash()
      #expect(try await third.end() != 0)
      // The campaign stays interrupted until a registry starts.
      let status = try await scenario.belfryCommand([
        "campaign", "status", id, "--json", "--data", registry.data,
      ])
      #expect(status.values.first?["state"].string == "interrupted", "\(status.output)")
      let deleted = try await scenario.belfryCommand(
        ["campaign", "delete", id, "--data", registry.data], succeeding: false)
      #expect(deleted.errors.contains("it is interrupted: cancel it first"), "\(deleted.errors)")
      registry = try await scenario.registry(of: gateway, topic: topic)
      let end = try await scenario.belfryCommand([
        "campaign", "resume", id, "--json", "--data", registry.data,
      ])
      let last = try #require(end.values.last)
      #expect(last["id"].string == id && last["accepted"].integer == count)
      #expect(last["dead"].integer == 0 && last["failed"].integer == 0)
      #expect(last["unknown"].integer == 0 && last["sent"].integer == count)

      let log = try await scenario.belfryCommand(["log", "--json", "--data", gateway.data])
      let receipts = log.values.filter { $0["state"].string == "Received by APNs" }
      let byDevice = Dictionary(grouping: receipts) { $0["device"].integer }
      #expect(byDevice.count == count && byDevice.values.allSatisfy { $0.count == 1 })
      #expect(Set(receipts.compactMap { $0["apnsID"].string }).count == count)
      let report = try await scenario.belfryCommand([
        "campaign", "report", id, "--json", "--data", registry.data,
      ])
      #expect(report.values.first?["delivered"].integer == count)
      let received = devices.program.lines.filter { $0.contains(#""event":"received""#) }
      let texts = received.compactMap { JSONLine($0) }.map(payload)
      #expect(texts.count { $0.contains("Salut") } == count / 2)
      #expect(texts.count { $0.contains("Hello") } == count / 2)
    }
  }

  @Test func `a dead token leaves the registry, and the report says why`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let devices = try scenario.devices(of: gateway, topics: [topic], options: ["--count", "2"])
      let tokens = [try await devices.token(), try await devices.token()]
      let registry = try await scenario.registry(of: gateway, topic: topic)
      let invented = String(repeating: "ab", count: 32)
      _ = try await scenario.ask(
        registry, "/tokens", body: (tokens + [invented]).joined(separator: "\n"))
      devices.program.tell(#"{"do":"unregister","topic":"\#(topic)"}"#)
      for _ in tokens { _ = try await devices.program.event("unregistered") }
      let file = try scenario.write(
        #"{"topic":"\#(topic)","alert":{"body":"Hello"}}"#, to: "campaign.json")
      let sent = try await scenario.belfryCommand(
        ["campaign", "send", file, "--json", "--data", registry.data], succeeding: false)
      let last = try #require(sent.values.last)
      #expect(sent.status == 1, "one push failed")
      #expect(last["dead"].integer == 2 && last["failed"].integer == 1)
      let id = try #require(last["id"].string)
      #expect(
        sent.errors.contains(
          "the campaign failed for 1 device: run 'belfry campaign report \(id)' to see the reasons"),
        "\(sent.errors)")
      let report = try await scenario.ask(registry, "/campaigns/\(id)/report")
      #expect(report.values.first?["reasons"]["Unregistered"].integer == 2)
      #expect(report.values.first?["reasons"]["BadDeviceToken"].integer == 1)
      let left = try await scenario.ask(registry, "/tokens")
      #expect(left.values.map { $0["deviceToken"].string } == [invented])
    }
  }

  @Test(.requires(.unshare))
  func `a campaign on a full disk reports the problem and resumes by itself once there is space`()
    async throws
  {
    let count = 60
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let devices = try scenario.devices(
        of: gateway, topics: [topic], options: ["--count", "\(count)"])
      var tokens: [String] = []
      for _ in 0..<count { tokens.append(try await devices.token()) }
      let first = try await scenario.registry(of: gateway, topic: topic)
      _ = try await scenario.ask(first, "/tokens", body: tokens.joined(separator: "\n"))
      #expect(try await first.program.stop() == 0)
      // The script mounts an 8 MB file system over the folder, in a separate namespace, and copies the folder's files
      // to it.
      let script = """
        cp -a "$1" "$1.copy" && mount -t tmpfs -o size=8m none "$1" && cp -a "$1.copy/." "$1" && \
        shift && exec "$@"
        """
      let registry = try await scenario.registry(
        of: gateway, topic: topic,
        wrapper: [
          TestTool.unshare.required(), "--user", "--map-root-user", "--mount", "/bin/sh", "-c",
          script, "sh", first.data,
        ])
      let added = try await scenario.ask(
        registry, "/campaigns",
        body: #"{"topic":"\#(topic)","alert":{"body":"Hello"},"rate":10}"#)
      let id = try #require(added.values.first?["id"].string)
      func status() async throws -> JSONLine {
        try #require(try await scenario.ask(registry, "/campaigns/\(id)").values.first)
      }
      try await Scenario.wait("the first sent pushes") {
        try await status()["sent"].integer ?? 0 > 0
      }
      let filling = "/proc/\(registry.program.pid)/root\(first.data)/filling"
      _ = try await scenario.command(
        ["dd", "if=/dev/zero", "of=\(filling)", "bs=4096"], succeeding: false)
      try await Scenario.wait("the campaign's problem") { try await status()["problem"] != .null }
      let held = try await status()
      #expect(held["state"].string == "running")
      #expect(
        held["problem"].string?.contains("is waiting for the registry's store") == true, "\(held)")
      #expect(held["sent"].integer ?? 0 < count)
      let overview = try await scenario.ask(registry, "/status").values.first
      #expect(overview?["disk"].string?.contains("no space left") == true)
      try FileManager.default.removeItem(atPath: filling)
      try await Scenario.wait("the completion of the campaign") {
        try await status()["state"].string == "completed"
      }
      let end = try await status()
      #expect(end["accepted"].integer == count && end["problem"] == .null, "\(end)")
      for _ in 0..<count { _ = try await devices.received() }
      #expect(devices.program.untaken.allSatisfy { $0["event"].string != "received" }, "twice")
      #expect(registry.program.errors.contains("a campaign is waiting for its store"))
    }
  }

  @Test func `a dead token leaves by the feedback service too`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let devices = try scenario.devices(of: gateway, topics: [topic], options: ["--count", "2"])
      let tokens = [try await devices.token(), try await devices.token()]
      let first = try await scenario.registry(of: gateway, topic: topic)
      _ = try await scenario.ask(
        first, "/tokens", body: (tokens + ["00ff"]).joined(separator: "\n"))
      #expect(try await first.program.stop() == 0)
      // The timestamps of the feedback service are whole seconds. The registry keeps a token that was registered in the
      // second of its timestamp, so wait for the next second.
      let registered = Int(Date().timeIntervalSince1970)
      while Int(Date().timeIntervalSince1970) <= registered {
        _ = try await scenario.belfryCommand(["--version"])
      }
      devices.program.tell(#"{"do":"unregister","topic":"\#(topic)"}"#)
      for _ in tokens { _ = try await devices.program.event("unregistered") }
      let certificate = scenario.folder.file("provider.pem")
      _ = try await scenario.belfryCommand([
        "certificate", "add", "--team", gateway.teamID, "--topic", topic, "--out", certificate,
        "--data", gateway.data,
      ])
      let second = try await scenario.registry(
        of: gateway, topic: topic,
        options: [
          "--certificate", certificate, "--feedback",
          "\(gateway.host):\(gateway.port("feedback"))",
        ])
      try await second.program.error("removed=2")
      let left = try await scenario.ask(second, "/tokens").values
      #expect(left.map { $0["deviceToken"].string } == ["00ff"])
    }
  }

  @Test func `a preview says what each language shows, and a file says to whom`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let devices = try scenario.devices(of: gateway, topics: [topic], options: ["--count", "3"])
      var tokens: [String] = []
      for _ in 0..<3 { tokens.append(try await devices.token()) }
      let registry = try await scenario.registry(of: gateway, topic: topic)
      for (token, language) in zip(tokens, ["fr-CA", "de", "fr"]) {
        _ = try await scenario.command([
          try TestTool.curl.required(), "--silent", "--fail",
          "\(registry.address)/register?deviceToken=\(token)&language=\(language)&tag=\(language)",
        ])
      }
      _ = try scenario.write(#""body" = "%@ a gagné";"#, to: "fr.strings")
      let file = try scenario.write(
        """
        {"topic":"\(topic)","alert":{"en":{"body":"%@ won"},"fr":"fr.strings"},
         "arguments":["Ann"]}
        """, to: "campaign.json")
      let arguments = ["campaign", "send", file, "--provider", registry.address]
      let preview = try await scenario.belfryCommand(arguments + ["--dry-run"])
      #expect(
        Set(preview.lines) == [
          "de: 1 device in en: Ann won", "fr-CA: 1 device in fr: Ann a gagné",
          "fr: 1 device in fr: Ann a gagné", "3 devices, nothing sent",
        ])
      #expect(preview.errors.contains("no de text: 1 device will get en"))
      let bad = try scenario.write(tokens[1] + "\n\nnothing\n", to: "bad")
      let refused = try await scenario.belfryCommand(arguments + ["--to", bad], succeeding: false)
      #expect(
        refused.errors.contains("\(bad) line 3: not hexadecimal: expected two digits"),
        "\(refused.errors)")
      let list = try scenario.write(tokens[1] + "\n" + tokens[1] + "\n", to: "list")
      let listed = try await scenario.belfryCommand(arguments + ["--to", list, "--json"])
      #expect(listed.values.last?["accepted"].integer == 1)
      #expect(payload(try await devices.received()).contains("Ann won"))
      let tagged = try await scenario.belfryCommand(arguments + ["--to", "tag:fr-CA", "--json"])
      #expect(tagged.values.last?["accepted"].integer == 1)
      #expect(payload(try await devices.received()).contains("Ann a gagné"))
      // The report counts the language of the text, not that of the device.
      let report = try await scenario.belfryCommand([
        "campaign", "report", #require(tagged.values.last?["id"].string), "--provider",
        registry.address,
      ])
      let table = report.lines.suffix(2).map { $0.split(separator: " ").joined(separator: " ") }
      #expect(table == ["OUTCOME REASON TEXT LANGUAGE DEVICES", "accepted - fr 1"])
      // The preview leaves no data in the registry.
      #expect(try await scenario.ask(registry, "/campaigns").lines.count == 2)
    }
  }

  @Test(.requires(.systemPython))
  func `The admin token of the local registry is sent only to that registry`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let registry = try await scenario.registry(of: gateway, topic: topic)
      let port = try #require(registry.address.split(separator: ":").last)
      // This is another host that listens on the same port number.
      let stranger = try scenario.start([
        try TestTool.systemPython.required(), "-c",
        """
        import socket
        listener = socket.create_server(("127.0.0.2", \(port)))
        print("listening", flush=True)
        while True:
            client = listener.accept()[0]
            text = client.recv(65536).decode()
            print(next((l for l in text.splitlines() if l.startswith("authorization")), "no token"), flush=True)
            client.sendall(b"HTTP/1.0 200 OK\\r\\n\\r\\n{}\\n")
            client.close()
        """,
      ])
      _ = try await stranger.text("listening")
      let url = "http://127.0.0.2:\(port)"
      for data in [[], ["--data", registry.data]] {
        let refused = try await scenario.belfryCommand(
          ["campaign", "status", "--provider", url] + data, succeeding: false)
        #expect(refused.status == 1)
        #expect(
          refused.errors.contains(
            "does not listen at \(url), so its admin token is not sent there"),
          "\(refused.errors)")
      }
      #expect(stranger.lines == ["listening"])
      // The service itself can be found by its port and by its folder.
      for data in [[], ["--data", registry.data]] {
        for host in ["127.0.0.1", "localhost"] {
          _ = try await scenario.belfryCommand(
            ["campaign", "status", "--provider", "http://\(host):\(port)"] + data)
        }
      }
      // A token that the user specifies for a service is sent to that service.
      let file = scenario.folder.file("token")
      try "its-own-token-its-own-token".write(toFile: file, atomically: true, encoding: .utf8)
      _ = try await scenario.belfryCommand([
        "campaign", "status", "--provider", url, "--admin-token", file,
      ])
      #expect(
        try await stranger.text("authorization")
          == "authorization: Bearer its-own-token-its-own-token")
    }
  }
}
