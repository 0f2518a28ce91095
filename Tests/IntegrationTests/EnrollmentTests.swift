import Foundation
import TestSupport
import Testing

/// Tests of enrollment: which devices are admitted, how often, and with which identity.
@Suite(.timeLimit(.minutes(60)), .requires(.python)) struct EnrollmentTests {
  // The reasons of ENROL_REFUSED (docs/device-link.md section 6).
  private let wrongCode = 1
  private let revoked = 7
  private let tooMany = 8

  @Test func `a key that enrolls again is the same device, and keeps its token`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let first = try await scenario.enrolled(gateway, "device")
      let device = try scenario.linkClient(gateway, ["run", first.file, "com.example.app"])
      let token = try await device.event("registered")["token"].string
      let second = try await scenario.enrolled(gateway, "device")
      #expect(second.device.integer == first.device.integer)
      let again = try scenario.linkClient(gateway, ["run", second.file, "com.example.app"])
      #expect(try await again.event("registered")["token"].string == token)
      let list = try await scenario.belfryCommand([
        "device", "list", "--data", gateway.data, "--json",
      ])
      #expect(list.values.count == 1)
      let other = try await scenario.enrolled(gateway, "other")
      #expect(other.device.integer != first.device.integer)
    }
  }

  @Test func `a revoked key does not enroll again`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let identity = try await scenario.enrolled(gateway, "device")
      let number = try #require(identity.device.integer)
      _ = try await scenario.belfryCommand([
        "device", "revoke", String(number), "--data", gateway.data,
      ])
      let code = gateway.enrollmentCode
      #expect(try await scenario.refusedEnrollment(gateway, identity.file, code: code) == revoked)
      try await gateway.stop()
      let restarted = try await scenario.restart(gateway)
      #expect(try await scenario.refusedEnrollment(restarted, identity.file, code: code) == revoked)
      let list = try await scenario.belfryCommand([
        "device", "list", "--data", gateway.data, "--json",
      ])
      #expect(list.values.count == 1)
    }
  }

  @Test func `rotating the enrollment code invalidates the old one and publishes the new one`()
    async throws
  {
    try await Scenario.run { scenario in
      func code(_ more: [String] = []) async throws -> String? {
        try await scenario.belfryCommand(
          ["device", "code", "--data", scenario.folder.file("gateway"), "--json"] + more
        ).values.first?["code"].string
      }
      let gateway = try await scenario.gateway()
      let former = gateway.enrollmentCode
      #expect(try await code() == former)
      let rotated = try #require(try await code(["--rotate"]))
      #expect(rotated != former)
      #expect(try await code() == rotated)
      let file = scenario.folder.file("device.pem")
      #expect(try await scenario.refusedEnrollment(gateway, file, code: former) == wrongCode)
      for path in [gateway.file, gateway.data + "-ready.json"] {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(JSONLine(text)?["enrollmentCode"].string == rotated, "\(path)")
      }
      let client = try scenario.linkClient(gateway, ["enroll", rotated, file])
      _ = try await client.event("enrolled")
      // Do the same with a stopped gateway.
      try await gateway.stop()
      let last = try #require(try await code(["--rotate"]))
      let restarted = try await scenario.restart(gateway)
      #expect(restarted.enrollmentCode == last && last != rotated)
    }
  }

  @Test func `a refused enrollment is logged with its peer and reason, and without the code`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let file = scenario.folder.file("device.pem")
      for (code, why) in [("GUESS-ONE", "wrong code"), ("", "no code given")] {
        #expect(try await scenario.refusedEnrollment(gateway, file, code: code) == wrongCode)
        let lines = gateway.program.errors.split(separator: "\n").filter {
          $0.contains("refused to enroll a device") && $0.contains(why)
        }
        #expect(lines.count == 1, "\(gateway.program.errors)")
        #expect(lines.allSatisfy { $0.contains("warning") && $0.contains("peer=127.0.0.1:") })
      }
      // The log lines of these refusals differ only in the peer's port, so the log treats them as repetitions. The
      // requests are concurrent, because the log combines only lines that closely follow each other.
      try await withThrowingTaskGroup(of: Int?.self) { group in
        for code in ["GUESS-TWO", "GUESS-THREE", "GUESS-FOUR"] {
          group.addTask {
            let own = scenario.folder.file("\(code).pem")
            return try await scenario.refusedEnrollment(gateway, own, code: code)
          }
        }
        for try await reason in group { #expect(reason == wrongCode) }
      }
      try await gateway.stop()
      let lines = gateway.program.errors.split(separator: "\n").filter {
        $0.contains("wrong code")
      }
      #expect(lines.count < 5 && lines.contains { $0.contains("repeated=") }, "\(lines)")
      #expect(!gateway.program.errors.contains("GUESS"))
    }
  }

  @Test(.requires(.curl))
  func
    `one code enrolls at most --enroll-rate devices a minute; refusals are reported and counted`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway(options: ["--enroll-rate", "1"])
      let identity = try await scenario.enrolled(gateway, "device")
      let code = gateway.enrollmentCode
      #expect(
        try await scenario.refusedEnrollment(gateway, scenario.folder.file("2.pem"), code: code)
          == tooMany
      )
      let metrics = try await scenario.command([
        TestTool.curl.required(), "-s", "http://127.0.0.1:\(gateway.port("console"))/metrics",
      ])
      #expect(metrics.lines.contains(#"belfry_enrolments_refused_total{reason="too many"} 1"#))
      #expect(metrics.lines.contains("belfry_enrolments_total 1"))
      let device = try scenario.linkClient(gateway, ["connect", identity.file])
      _ = try await device.event("connected")
    }
  }
}
