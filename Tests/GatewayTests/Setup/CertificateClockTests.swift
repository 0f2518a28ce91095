import BelfryWire
import Foundation
import Storage
import Synchronization
import System
import TestSupport
import Testing

@testable import Gateway
@testable import Transport

/// Tests of how a temporarily wrong wall clock affects the certificates.
@Suite struct CertificateClockTests {
  private static let day: Int64 = 86_400_000

  /// The lines of the log.
  private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func add(_ line: String) { lines.withLock { $0.append(line) } }
  }

  /// A test bench with a gateway's two clocks, its folder, and its certificate watch.
  private final class Bench {
    let scratch: ScratchFolder
    let folder: GatewayFolder
    let configuration: GatewayConfiguration
    let authority: CertificateAuthority
    let ends = CertificateEnds()
    let lines = Lines()
    var nanoseconds: Int64 = 1_000_000_000
    var wall: Int64
    private(set) var changes = 0
    private var watch: CertificateWatch?
    private(set) var store: SQLiteControlStore?

    /// Creates a gateway that starts at the time `wall`, with a folder that was created at the time `made`.
    init(madeAt made: Int64, startedAt wall: Int64) throws {
      scratch = try ScratchFolder()
      folder = GatewayFolder(path: scratch.file("gateway"))
      self.wall = wall
      _ = try DataFolder(folder.path)
      var configuration = GatewayConfiguration(folder: folder.path)
      configuration.names = ["localhost", "127.0.0.1"]
      self.configuration = configuration
      authority = try folder.authority(hosts: ["localhost"], nowSeconds: made / 1_000)
      _ = try source.load(configuration, nowSeconds: made / 1_000)
      try start()
    }

    private var source: CertificateSource {
      CertificateSource(folder: folder, revocations: CertificateRevocations(), log: .silent)
    }

    /// Restarts the gateway with the current clocks.
    func start() throws {
      let store = try SQLiteControlStore.inMemory()
      self.store = store
      let registry = MetricRegistry()
      watch = CertificateWatch(
        try source.load(configuration, nowSeconds: wall / 1_000), from: source, store: store,
        writer: try ControlWriter(store: store, metrics: registry), ends: ends,
        clocks: { [unowned self] in (nanoseconds, wall) },
        metrics: GatewayMetrics(registry: registry),
        log: Log(subsystem: "t", sink: LogSink { [lines] line in lines.add(line) }))
      look()
    }

    private func look() { if watch?.tick(configuration) != nil { changes += 1 } }

    func pass(seconds: Int) {
      for _ in 0..<seconds {
        nanoseconds += 1_000_000_000
        wall += 1_000
        look()
      }
    }

    func server() throws -> Certificate {
      try Certificate(pem: FileSystem.read(folder.file("server.pem"), limit: 1 << 20))
    }

    /// Returns true if a client with the correct time accepts the certificates.
    func isAccepted() throws -> Bool {
      do {
        try CertificateChain.check(
          server(), authorities: [authority.certificate], purpose: .server, now: wall / 1_000)
        return true
      } catch is CertificateChain.Failure {
        return false
      }
    }
  }

  private static let made: Int64 = 1_795_000_000_000

  @Test func `A clock that is 800 days ahead for four seconds renews nothing`() throws {
    let bench = try Bench(madeAt: Self.made, startedAt: Self.made + 300 * Self.day)
    let former = try bench.server()
    bench.pass(seconds: 5)
    bench.wall += 800 * Self.day
    bench.pass(seconds: 4)
    bench.wall -= 800 * Self.day
    bench.pass(seconds: 5)
    #expect(try bench.server() == former && bench.changes == 0)
    #expect(try bench.isAccepted())
  }

  @Test
  func `A certificate issued under a wrong clock at startup is replaced once the clock is right`()
    throws
  {
    let bench = try Bench(madeAt: Self.made, startedAt: Self.made + 300 * Self.day)
    bench.wall += 800 * Self.day
    try bench.start()
    bench.pass(seconds: 5)
    let wrong = try bench.server()
    bench.wall -= 800 * Self.day
    #expect(wrong.notBefore > bench.wall / 1_000, "the certificate is not valid yet")
    #expect(try !bench.isAccepted())
    bench.pass(seconds: 1)
    #expect(try bench.isAccepted() && bench.changes == 1)
    // The gateway distrusts the wall clock for a day, and then returns to its normal state.
    bench.pass(seconds: 10)
    #expect(bench.changes == 1)
    #expect(bench.ends.problems(atSeconds: bench.wall / 1_000).isEmpty)
  }

  @Test func `A key that does not match the certificate is reported with both files`() throws {
    let bench = try Bench(madeAt: Self.made, startedAt: Self.made)
    let (chain, key) = (bench.folder.file("server.pem"), bench.scratch.file("key.pem"))
    try FileSystem.write(ES256PrivateKey().pkcs8PEM(), to: key)
    var configuration = bench.configuration
    configuration.serverCertificate = GatewayConfiguration.ServerCertificate(
      chainFile: chain, keyFile: key)
    let seconds = Self.made / 1_000
    let authorities = try bench.folder.authorities(hosts: ["localhost"], nowSeconds: seconds)
    let source = CertificateSource(
      folder: bench.folder, revocations: CertificateRevocations(), log: .silent)
    // A renewal can replace one of the files after a first check of both has succeeded.
    #expect {
      _ = try source.load(
        configuration, ServerNames(of: configuration), authorities, nowSeconds: seconds)
    } throws: { error in
      "\(error)".contains("the private key in \(key) does not match the certificate in \(chain)")
    }
  }

  @Test func `A later name is logged once, not whenever the certificates are loaded`() throws {
    let scratch = try ScratchFolder()
    let folder = GatewayFolder(path: scratch.file("gateway"))
    _ = try DataFolder(folder.path)
    let lines = Lines()
    let source = CertificateSource(
      folder: folder, revocations: CertificateRevocations(),
      log: Log(subsystem: "t", sink: LogSink { line in lines.add(line) }))
    var configuration = GatewayConfiguration(folder: folder.path)
    configuration.names = ["localhost", "127.0.0.1"]
    let seconds = Self.made / 1_000
    _ = try source.load(configuration, nowSeconds: seconds)
    #expect(lines.all.isEmpty, "\(lines.all)")
    configuration.names.append("later.example")
    let shown = try source.load(configuration, nowSeconds: seconds)
    #expect(lines.all.count == 1 && lines.all.first?.contains("names=later.example") == true)
    let again = try source.load(configuration, after: shown, nowSeconds: seconds)
    #expect(lines.all.count == 1 && again.limitedNames == shown.limitedNames)
  }

  @Test func `Provider certificates that were added or revoked are shown within a minute`() throws {
    let bench = try Bench(madeAt: Self.made, startedAt: Self.made)
    func shown() -> Int64? { bench.ends.all.first { $0.kind == .provider }?.notAfter }
    #expect(shown() == nil)
    var record = CertificateRecord(
      serial: "0a", team: "TEAMAAAAAA", bundleID: "com.example.app", environments: .both,
      isUniversal: true, notAfter: Self.made / 1_000 + 86_400, createdMilliseconds: Self.made)
    let store = try #require(bench.store)
    try store.apply([
      .putTeam(.init(id: "TEAMAAAAAA", name: "A", createdMilliseconds: Self.made)),
      .putCertificate(record),
    ])
    bench.pass(seconds: 60)
    #expect(shown() == record.notAfter)
    record.revokedMilliseconds = bench.wall
    try store.apply([.putCertificate(record)])
    bench.pass(seconds: 60)
    #expect(shown() == nil)
  }

  @Test func `A certificate that is not valid yet is replaced at the next start`() throws {
    let bench = try Bench(madeAt: Self.made, startedAt: Self.made + 1_100 * Self.day)
    bench.wall -= 800 * Self.day
    #expect(try !bench.isAccepted())
    try bench.start()
    #expect(try bench.isAccepted())
  }

  @Test
  func `Certificates become valid with their authority, within the lifetime that clients accept`()
    throws
  {
    let bench = try Bench(madeAt: Self.made, startedAt: Self.made)
    #expect(try bench.server().notBefore == bench.authority.certificate.notBefore)
    let device = try bench.authority.issueDevice(
      publicKeySPKI: ES256PrivateKey().publicKey.spkiDER, device: "7",
      now: (Self.made + 2_000 * Self.day) / 1_000, days: Limits.deviceCertificateDays)
    #expect(device.notBefore == bench.authority.certificate.notBefore)
    let later = try bench.authority.issueServer(
      names: ["localhost"], addresses: [], now: (Self.made + 2_000 * Self.day) / 1_000,
      days: Limits.serverCertificateDays
    ).certificate
    #expect(later.notBefore < (Self.made + 2_000 * Self.day) / 1_000)
    #expect(later.notAfter - later.notBefore <= 825 * 86_400)
  }

  @Test func `A gateway tells that its certificates are not valid yet`() throws {
    let bench = try Bench(madeAt: Self.made, startedAt: Self.made)
    bench.wall -= 20 * Self.day
    bench.pass(seconds: 2)
    let problems = bench.ends.problems(atSeconds: bench.wall / 1_000)
    #expect(problems.count == 2 && problems.allSatisfy { $0.contains("is not valid before 2026-") })
    let lines = bench.lines.all
    #expect(lines.contains { $0.contains("not valid yet") && $0.contains("certificate=server") })
    #expect(lines.contains { $0.contains("not valid yet") && $0.contains("certificate=authority") })
    // Another certificate wouldn't help, because its authority isn't valid yet either.
    #expect(bench.changes == 0)
    bench.wall += 20 * Self.day
    bench.pass(seconds: 2)
    #expect(bench.ends.problems(atSeconds: bench.wall / 1_000).isEmpty)
  }

  @Test func `A clock that stays where it was set is believed after a day, and renews`() throws {
    let bench = try Bench(madeAt: Self.made, startedAt: Self.made + 300 * Self.day)
    bench.wall += 500 * Self.day
    bench.pass(seconds: 86_390)
    #expect(bench.changes == 0)
    bench.pass(seconds: 3_700)
    #expect(try bench.isAccepted() && bench.changes == 1)
  }
}
