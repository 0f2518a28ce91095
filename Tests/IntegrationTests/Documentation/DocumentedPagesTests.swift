import Foundation
import TestSupport
import Testing

/// Tests that run the command lines of the pages, unchanged except for the names that the reader must replace.
///
/// `FirstFiveMinutesTests` runs the lines of `docs/first-five-minutes`, and `RecipesTests` runs those of
/// `docs/recipes`. `make packages-test` runs the lines that need root and systemd.
@Suite struct DocumentedPagesTests {
  /// The number of blocks with `belfry` command lines on each page.
  ///
  /// If a page gains a block, these tests must run it too. The exception is the second block of
  /// `docs/operations/troubleshoot-gateway.md`, which needs root: `make packages-test` runs it.
  private static let counts = [
    "docs/bring-an-app-from-ios.md": 1, "docs/clients.md": 6, "docs/operations/backup.md": 2,
    "docs/operations/cluster.md": 3, "docs/operations/database.md": 4,
    "docs/desktop.md": 7, "docs/operations/configuration.md": 1, "docs/operations/monitoring.md": 1,
    "docs/operations/rotate.md": 2, "docs/operations/troubleshoot-gateway.md": 2,
    "docs/provider.md": 2, "docs/relay.md": 2, "docs/reliability.md": 1,
    "docs/troubleshoot-devices.md": 1,
    "docs/virtual-devices.md": 1, "docs/web-push.md": 1,
    // UnifiedPushProgramTests runs these commands, which need a session bus.
    "docs/unifiedpush.md": 2,
  ]

  /// The pages that `scripts/packages` runs in an environment with packages, units, and a journal.
  private static let elsewhere = [
    "docs/operations/install.md", "docs/operations/upgrade.md",
  ]

  /// Returns the lines of a page's block of `belfry` commands, after filling in the reader's values.
  private static func lines(
    _ page: String, _ index: Int, filling: [(name: String, value: String)] = []
  ) throws -> String {
    let blocks = try commandBlocks(of: page)
    var lines = try #require(blocks.indices.contains(index) ? blocks[index] : nil)
    for (name, value) in filling {
      try #require(lines.contains(name), "\(page) no longer contains \(name)")
      lines = lines.replacing(name, with: value)
    }
    return lines
  }

  private static func commandBlocks(of page: String) throws -> [String] {
    try MarkdownPage(page).blocks.filter(\.isForShell).map(\.text).filter {
      $0.contains(#/(^|[\n;(] *|\$ )belfry /#)
    }
  }

  @Test func `Each block with command lines is run by a test`() throws {
    let docs = FileManager.default.enumerator(atPath: Installation.root + "/docs")
    let names = try #require(docs?.allObjects as? [String]).filter { $0.hasSuffix(".md") }
    for page in ["README.md"] + names.map({ "docs/" + $0 }) {
      guard !page.hasPrefix("docs/first-five-minutes/"), !page.hasPrefix("docs/recipes/"),
        !Self.elsewhere.contains(page)
      else { continue }
      #expect(try Self.commandBlocks(of: page).count == Self.counts[page] ?? 0, "\(page)")
    }
  }

  /// The lines that start a gateway in this home, with a device whose token is in `$TOKEN`.
  private static let gatewayAndDevice = """
    belfry gateway --ready-file ready.json --insecure-provider-port 0 2>gateway.log &
    until [ -s ready.json ]; do sleep 0.05; done
    port() { sed -n "s/.*\\"$1\\": *\\([0-9]*\\).*/\\1/p" ready.json; }
    belfry device run --app com.example.app >device.jsonl &
    until grep -q '"registered"' device.jsonl; do sleep 0.05; done
    TOKEN=$(sed -n 's/.*"token":"\\([^"]*\\)".*/\\1/p' device.jsonl)

    """

  @Test(.requires(.curl)) func `Clients are pointed at a gateway`() async throws {
    let page = "docs/clients.md"
    try await Scenario.run { scenario in
      let home = try await DocumentationHome(scenario)
      let answer = try await home.run(
        Self.lines(page, 0) + "\nkill %1; wait %1; rm ready.json\n" + Self.gatewayAndDevice
          + Self.lines(
            page, 1, filling: [("2197", "\"$(port provider)\""), ("device/TOKEN", "device/$TOKEN")])
          + "\nuntil grep -q received device.jsonl; do sleep 0.05; done\n"
          + Self.lines(
            page, 5,
            filling: [("PORT", "$(port insecureProvider)"), ("device/TOKEN", "device/$TOKEN")])
          + "\nuntil [ $(grep -c received device.jsonl) = 2 ]; do sleep 0.05; done\n"
          + Self.lines(page, 4, filling: [("HEX", "$TOKEN"), (" MS ", " 1700000000000 ")]))
      for rule in ["TooManyRequests", "Unregistered", "ExpiredProviderToken"] {
        #expect(answer.output.contains(rule), "\(answer.output)")
      }
    }
  }

  @Test(.requires(.curl, .unshare, .openssl))
  func `Clients with fixed names are led to a gateway, in namespaces`() async throws {
    let page = "docs/clients.md"
    try await Scenario.run { scenario in
      guard try await Self.hasNamespaces(scenario) else { return }
      let home = try await DocumentationHome(scenario, ports: .documented)
      // This is a login shell, which starts with the system's default path.
      try "PATH=\"\(scenario.folder.file("bin")):$PATH\"\n".write(
        toFile: home.file(".bash_profile"), atomically: true, encoding: .utf8)
      let lines = try Self.lines(page, 2) + "\necho; kill %1; wait\n"
      let file = home.file("typed")
      try lines.write(toFile: file, atomically: true, encoding: .utf8)
      // The shell that `unshare` starts reads the following lines as if the user typed them.
      let answer = try await home.run("cat typed | bash")
      #expect(answer.output.contains(#"{"reason":"MissingProviderToken"}"#), "\(answer.output)")
    }
  }

  @Test(.requires(.unshare)) func `Two environments run side by side`() async throws {
    try await Scenario.run { scenario in
      guard try await Self.hasNamespaces(scenario) else { return }
      let home = try await DocumentationHome(scenario, ports: .documented)
      let folders = ["gateway", "production"].map { ".local/state/belfry/\($0)" }
      let answer = try await home.run(
        "ip link set lo up\n" + Self.lines("docs/clients.md", 3) + "\n"
          + folders.map {
            "until [ -s \($0)/gateway.json ]; do sleep 0.05; done; belfry gateway status --data \($0) --json\n"
          }.joined(),
        by: [try TestTool.unshare.required(), "--map-root-user", "--net", "--"])
      #expect(
        answer.values.compactMap { $0["environment"].string } == ["sandbox", "production"],
        "\(answer.output)")
    }
  }

  private static func hasNamespaces(_ scenario: Scenario) async throws -> Bool {
    let unshare = [try TestTool.unshare.required(), "--map-root-user", "--mount", "--net", "--"]
    let probe = try await scenario.command(unshare + ["ip", "link"], succeeding: false)
    // A container might forbid namespaces, and a minimal machine might lack iproute2.
    if probe.status != 0 { print("skipped: no namespaces, or no ip: \(probe.errors)") }
    return probe.status == 0
  }

  @Test func `A gateway is backed up and restored`() async throws {
    let page = "docs/operations/backup.md"
    try await Scenario.run { scenario in
      let home = try await DocumentationHome(scenario)
      let answer = try await home.run(
        Self.gatewayAndDevice
          + Self.lines(
            page, 0,
            filling: [("/var/backups/", "backups-"), (" --data /var/lib/belfry/gateway", "")])
          + "\n"
          // `make packages-test` runs these lines as root, with systemd units.
          + Self.lines(
            page, 1,
            filling: [
              ("systemctl stop", ": "), ("mv ", ": "), ("/var/backups/", "backups-"),
              ("/var/lib/belfry/gateway", "restored"),
              (
                "systemctl start belfry-gateway",
                "until-it-says ready belfry gateway --data restored"
              ),
            ]))
      #expect(answer.output.contains("restored"), "\(answer.output)")
    }
  }

  @Test(.requires(.openssl)) func `A configuration is checked and used`() async throws {
    let page = "docs/operations/configuration.md"
    try await Scenario.run { scenario in
      let home = try await DocumentationHome(scenario)
      let blocks = try MarkdownPage(page).blocks
      var yaml = try #require(blocks.first { $0.language == "yaml" }).text
      yaml = yaml.replacing("/var/lib/belfry/gateway", with: "data")
        .replacing("/etc/ssl/push.example.org/", with: home.file(""))
        .replacing("host: 0.0.0.0", with: "host: 127.0.0.1")
        .replacing("[2197, 443]", with: "[0]")
      try yaml.write(toFile: home.file("gateway.yaml"), atomically: true, encoding: .utf8)
      let wrong = yaml.replacing("provider-port", with: "provider-prot")
      try wrong.write(toFile: home.file("wrong.yaml"), atomically: true, encoding: .utf8)
      let answer = try await home.run(
        """
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 \\
          -subj /CN=push.example.org -addext subjectAltName=DNS:push.example.org,IP:192.0.2.7 \\
          -keyout privkey.pem -out fullchain.pem 2>openssl.log

        """
          + Self.lines(
            page, 0,
            filling: [
              ("/etc/belfry/gateway.yaml", "gateway.yaml"),
              ("belfry gateway --config", "until-it-says ready belfry gateway --config"),
            ]) + "\n! belfry gateway check-config wrong.yaml 2>&1")
      #expect(answer.lines.contains { $0.hasSuffix("/gateway.yaml is valid") }, "\(answer.output)")
      let message = try #require(blocks.last { $0.text.hasPrefix("belfry: ") }).text
      #expect(
        answer.lines.contains(
          message.replacing("/etc/belfry/gateway.yaml", with: home.file("wrong.yaml"))),
        "\(answer.output)")
    }
  }

  @Test func `The documented commands show a gateway's state and its problems`() async throws {
    try await Scenario.run { scenario in
      let home = try await DocumentationHome(scenario)
      // `make packages-test` reads the journal on a system that has one.
      let answer = try await home.run(
        Self.gatewayAndDevice
          + Self.lines(
            "docs/operations/monitoring.md", 0,
            filling: [
              (
                "belfry gateway status --watch",
                "until-it-says ready belfry gateway status --watch"
              )
            ]) + "\nbelfry send \"$TOKEN\" --topic com.example.app --title Hello\n"
          + Self.lines(
            "docs/operations/troubleshoot-gateway.md", 0, filling: [("journalctl", ": ")]))
      #expect(answer.values.contains { $0["running"].boolean == true }, "\(answer.output)")
      #expect(!answer.lines.contains { $0.hasPrefix("missing") }, "\(answer.output)")
      #expect(answer.output.contains("Delivered to Device"), "\(answer.output)")
    }
  }

  @Test func `Authority and token keys are rotated`() async throws {
    let page = "docs/operations/rotate.md"
    try await Scenario.run { scenario in
      let home = try await DocumentationHome(scenario)
      let answer = try await home.run(
        Self.gatewayAndDevice
          // The device fetches its certificate and reconnects with it.
          + Self.lines(
            page, 0,
            filling: [
              (
                "belfry ca finish",
                "until belfry ca finish 2>/dev/null; do sleep 0.2; done # "
              )
            ]) + "\n"
            + """
            former=$(belfry token-key list --json | sed -n 's/.*"id":"\\([^"]*\\)".*/\\1/p' | head -1)

            """ + Self.lines(page, 1, filling: [("retire ID", "retire --force $former")])
          + "\nbelfry ca list; belfry token-key list")
      let authority = try #require(answer.lines.last { $0.contains("gateway authority") })
      #expect(authority.contains(#/authority 2 +all +1 /#), "\(answer.output)")
      #expect(answer.lines.last?.contains(" current ") == true, "\(answer.output)")
      #expect(answer.lines.dropLast().last?.hasPrefix("ID ") == true, "\(answer.output)")
    }
  }

  @Test(.requires(.initdb)) func `A gateway is moved to a database`() async throws {
    let page = "docs/operations/database.md"
    let server = try await PostgresProgram()
    let url = (name: "postgres://belfry@db.example.org/belfry", value: server.url)
    try await Scenario.run { scenario in
      let home = try await DocumentationHome(scenario)
      let answer = try await home.run(
        Self.gatewayAndDevice + """
          kill %1 %2; wait

          """
          + Self.lines(
            page, 1,
            filling: [("/var/lib/belfry/gateway", "$HOME/.local/state/belfry/gateway"), url])
          + "\n"
          + Self.lines(page, 0, filling: [url]).trimmingCharacters(in: .whitespacesAndNewlines)
          + " &\nuntil belfry gateway status; do sleep 0.1; done\n"
          + Self.lines(page, 2, filling: [url]).trimmingCharacters(in: .whitespacesAndNewlines)
          + " &\nuntil belfry campaign list; do sleep 0.1; done\n"
          + "cut -d / -f 1 .local/state/belfry/provider/database")
      #expect(answer.lines.contains("device: 1 row"), "\(answer.output)")
      #expect(answer.lines.contains("postgres:"), "\(answer.output)")
      #expect(answer.output.contains("database"), "\(answer.output)")
    }
    try await server.stop()
  }

  @Test(.requires(.initdb), .requires(.natsServer))
  func `A cluster is created and started`() async throws {
    let page = "docs/operations/cluster.md"
    let server = try await PostgresProgram()
    let bus = try await NATSProgram()
    let values = [
      (name: "postgres://belfry@db.example.org/belfry", value: server.url),
      (name: "/etc/belfry/cluster-key", value: "$HOME/cluster-key"),
    ]
    let busURL = [(name: "nats://bus.example.org", value: bus.url)]
    try await Scenario.run { scenario in
      let home = try await DocumentationHome(scenario)
      let answer = try await home.run(
        Self.lines(page, 0, filling: values) + "\n"
          + Self.lines(page, 1, filling: values + busURL).trimmingCharacters(
            in: .whitespacesAndNewlines)
          + " &\nuntil belfry gateway status; do sleep 0.1; done\n"
          + Self.lines(page, 2))
      #expect(answer.lines.last?.hasPrefix("one ") == true, "\(answer.output)")
      #expect(answer.output.contains("Created a cluster with the team"), "\(answer.output)")
    }
    try await bus.kill()
    try await server.stop()
  }

  @Test func `An upstream and a sender's limited key are added`() async throws {
    let page = "docs/relay.md"
    try await Scenario.run { scenario in
      let home = try await DocumentationHome(scenario)
      let answer = try await home.run(
        Self.gatewayAndDevice
          + """
          cp .local/state/belfry/gateway/AuthKey_*.p8 AuthKey_ABC123DEFG.p8

          """
          // The device has added the app.
          + Self.lines(page, 0, filling: [("belfry topic add", "belfry topic add --broadcast on")])
          + "\n" + Self.lines(page, 1, filling: [("sender.p8", "limited.p8")])
          + "\nbelfry upstream list; belfry key list; ls sender.p8 limited.p8")
      #expect(
        answer.lines.contains { $0.hasPrefix("com.example.app ") && $0.contains("ABC123DEFG") },
        "\(answer.output)")
      #expect(answer.lines.contains { $0.contains(" 10000 ") }, "\(answer.output)")
      #expect(answer.lines.last == "sender.p8", "\(answer.output)")
    }
  }

  @Test func `Virtual devices join in each way`() async throws {
    try await Scenario.run { scenario in
      let home = try await DocumentationHome(scenario)
      let answer = try await home.run(
        Self.gatewayAndDevice
          + """
          cp .local/state/belfry/gateway/ca.pem .
          CODE=$(belfry device code)
          invitation=$(belfry device invite --host 127.0.0.1 | grep -o 'belfry://[^ ]*' | head -1)
          belfry topic add com.example.app --broadcast on

          """
          + Self.lines(
            "docs/virtual-devices.md", 0,
            filling: [
              (
                "belfry device run --app",
                "until-it-says registered belfry device run --data a --app"
              ),
              (
                "belfry device run --count",
                "until-it-says registered belfry device run --data b --count"
              ),
              ("1000", "20"),
              (
                "belfry device run --channel",
                "until-it-says link belfry device run --data c --channel"
              ),
              (
                "belfry device run --gateway",
                "until-it-says registered belfry device run --data $RANDOM --gateway"
              ),
              ("gate.example.com:5223 --ca", "127.0.0.1:$(port device) --ca"),
              ("CODE --app", "$CODE --app"),
              ("belfry://gate.example.com:5223/CODE/MII…", "$invitation"),
            ]))
      #expect(answer.values.count { $0["event"].string == "registered" } >= 4, "\(answer.output)")
    }
  }

  @Test func `A Web Push message is sent from the command line`() async throws {
    try await Scenario.run { scenario in
      let home = try await DocumentationHome(scenario)
      let answer = try await home.run(
        Self.lines("docs/web-push.md", 0, filling: [("--web-push-port 2194", "--web-push-port 0")]))
      let sent = try #require(answer.values.first { $0["status"].integer != nil })
      #expect(sent["status"].integer == 201, "\(answer.output)")
      #expect(sent["ttl"].integer == 3_600, "\(answer.output)")
      // The payload is "Hello" in Base64.
      #expect(answer.values.last?["payload"].string == "SGVsbG8=", "\(answer.output)")
    }
  }

  @Test func `A gateway that lost a required file starts only with the documented command`()
    async throws
  {
    try await Scenario.run { scenario in
      let home = try await DocumentationHome(scenario)
      let answer = try await home.run(
        """
        until-it-says ready belfry gateway >/dev/null
        rm .local/state/belfry/gateway/notifications.sqlite*
        ! until-it-says ready belfry gateway >/dev/null

        """
          + Self.lines(
            "docs/reliability.md", 0,
            filling: [("belfry gateway", "until-it-says ready belfry gateway")]))
      #expect(answer.output.contains("notifications.sqlite"), "\(answer.output)")
    }
  }

  @Test func `A developer sends to an app, and asks what is missing`() async throws {
    try await Scenario.run { scenario in
      let home = try await DocumentationHome(scenario)
      let answer = try await home.run(
        """
        belfry dev --app com.example.myapp >dev.log &
        belfry app run com.example.myapp --register --authorize alert >app.jsonl &

        """ + Self.lines("docs/bring-an-app-from-ios.md", 0) + "\n"
          + Self.lines("docs/troubleshoot-devices.md", 0))
      #expect(answer.values.contains { $0["status"].integer == 200 }, "\(answer.output)")
      #expect(answer.lines.contains { $0.hasPrefix("ok") }, "\(answer.output)")
    }
  }

  @Test func `A desktop user makes reminders, and subscribes to messages`() async throws {
    let page = "docs/desktop.md"
    try await Scenario.run { scenario in
      let home = try await DocumentationHome(scenario)
      var lines = try (0..<7).map { try Self.lines(page, $0) }
      // This is the restart that the page describes between the gateway and the subscription.
      lines.insert("kill %1; wait %1; belfry agent &", at: 5)
      let answer = try await home.run("belfry agent &\n" + lines.joined(separator: "\n"))
      #expect(answer.output.contains("Stand up"), "\(answer.output)")
      #expect(answer.lines.contains { $0.hasPrefix("curl ") }, "\(answer.output)")
      // The key is limited to the subscription.
      #expect(
        answer.lines.contains { $0.contains("both") && $0.contains("belfry.shell.backups") },
        "\(answer.output)")
    }
  }

  @Test(.requires(.curl))
  func `A campaign is checked and sent, and prints what the page shows`() async throws {
    let page = "docs/provider.md"
    try await Scenario.run { scenario in
      let home = try await DocumentationHome(scenario)
      let transcript = try Self.lines(page, 0).split(separator: "\n").map(String.init)
      // A file that `cat` shows is the reader's own, so create it.
      for (index, line) in transcript.enumerated() where line.hasPrefix("$ cat ") {
        let text = transcript[(index + 1)...].prefix { !$0.hasPrefix("$ ") }
        try (text.joined(separator: "\n") + "\n").write(
          toFile: home.file(String(line.dropFirst(6))), atomically: true, encoding: .utf8)
      }
      let typed = transcript.filter { $0.hasPrefix("$ ") }.map { String($0.dropFirst(2)) }
      let start = try #require(typed.firstIndex { $0.hasPrefix("curl ") })
      let answer = try await home.run(
        """
        belfry gateway --data g --ready-file ready.json 2>gateway.log &
        until [ -s ready.json ]; do sleep 0.05; done
        belfry device run --gateway g/gateway.json --count 20 --app com.example.app >device.jsonl &
        until [ "$(grep -c '"registered"' device.jsonl)" = 20 ]; do sleep 0.05; done
        sed -n 's/.*"token":"\\([^"]*\\)".*/\\1/p' device.jsonl >tokens
        TOKEN=$(head -1 tokens)
        \(typed[..<start].joined(separator: "\n").replacing(" &", with: " 2>provider.log &"))
        until [ -s p.json ]; do sleep 0.05; done
        port=$(sed -n 's/.*"port": *\\([0-9]*\\).*/\\1/p' p.json)
        number=0
        for token in $(tail -n +2 tokens); do
          number=$((number + 1))
          language=fr-CA
          [ $number -le 5 ] || language=en
          [ $number -le 12 ] || language=ja
          curl -sf "http://127.0.0.1:$port/register?deviceToken=$token&language=$language" >/dev/null
        done
        \(typed[start...].joined(separator: "\n").replacing("127.0.0.1:44017", with: "127.0.0.1:$port")
          .replacing("--dry-run", with: "--dry-run 2>&1").replacing("--data p\n", with: "--data p 2>&1\n")) 2>&1
        ID=$(belfry campaign status --data p --json | sed -n 's/.*"id":"\\([^"]*\\)".*/\\1/p')
        \(try Self.lines(
            page, 1,
            filling: [
              (" FILE [--to all|tag:T|user:U|FILE] [--dry-run] [--rate N/s] [--json] [--provider URL | --data DIR] [--detach]", " campaign.json --data p"),
              ("[ID]", "$ID --data p"), (" ID", " $ID --data p || true"),
            ]))
        """)
      let id = try #require(answer.output.firstMatch(of: /campaign ([0-9a-f]{12})/)?.output.1)
      let shown = transcript.filter { !$0.hasPrefix("$ ") && !$0.contains(" info provider: ") }
        .map { $0.replacing("692a734f0b9e", with: id) }
      for line in shown { #expect(answer.lines.contains(line), "\(line)\n\(answer.output)") }
    }
  }
}
