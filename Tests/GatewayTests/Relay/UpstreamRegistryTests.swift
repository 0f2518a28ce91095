import BelfryWire
import Storage
import Synchronization
import System
import TestSupport
import Testing
import Transport

@testable import Gateway

@Suite struct UpstreamRegistryTests {
  private let scratch: ScratchFolder
  private let folder: GatewayFolder
  private let registry: UpstreamRegistry
  private let carriers = Carriers()
  private let apps = [UInt32(1), 2].map {
    AppRecord(number: $0, bundleID: "com.example.app\($0)", team: "T", createdMilliseconds: 1)
  }

  private final class Carriers: Sendable {
    private let all = Mutex<[(access: UpstreamAccess, carrier: FakeCarrier)]>([])
    var list: [(access: UpstreamAccess, carrier: FakeCarrier)] { all.withLock { $0 } }
    func make(_ access: UpstreamAccess) -> FakeCarrier {
      let carrier = FakeCarrier()
      all.withLock { $0.append((access, carrier)) }
      return carrier
    }
  }

  init() throws {
    scratch = try ScratchFolder()
    folder = GatewayFolder(path: scratch.file("gateway"))
    try FileSystem.makeDirectories(folder.path)
    registry = UpstreamRegistry(
      folder: folder, makeCarrier: { [carriers] in carriers.make($0) }, log: .silent)
  }

  private func record(_ app: UInt32, key: String = "secret") throws -> UpstreamRecord {
    let known = try UpstreamSealer(in: folder)
    let sealer = if let known { known } else { try UpstreamSealer(creatingIn: folder) }
    return UpstreamRecord(
      app: app, keyID: "PUBLISHER1", teamID: "PUBLISHERS",
      sealedKey: try sealer.seal(
        Array(key.utf8), app: app, keyID: "PUBLISHER1", teamID: "PUBLISHERS"),
      environment: .production, createdMilliseconds: 1)
  }

  @Test func `Apps with the same credentials share a connection, and unchanged ones keep it`()
    throws
  {
    let records = [try record(1), try record(2)]
    let first = registry.update(records, apps: apps)
    #expect(carriers.list.map(\.access.host) == ["api.push.apple.com"])
    #expect(carriers.list.first?.access.privateKeyPEM == Array("secret".utf8))
    let again = registry.update(records, apps: apps)
    #expect(first[1] === again[1] && first[2] === again[2] && first[1] !== first[2])
    #expect(carriers.list.count == 1)
  }

  @Test func `A changed key replaces the connection, and a removed upstream is withdrawn`() throws {
    let push = UpstreamPush(token: "ab", topic: "t", payload: [], id: "i")
    let before = try #require(registry.update([try record(1)], apps: apps)[1])
    let after = try #require(registry.update([try record(1, key: "other")], apps: apps)[1])
    #expect(before !== after && carriers.list.count == 2)
    #expect(before.send(push) { _ in } != nil, "a replaced upstream gets no pushes")
    #expect(after.send(push) { _ in } == nil)
    #expect(registry.update([], apps: apps).isEmpty && registry.state(ofApp: 1) == nil)
    #expect(after.send(push) { _ in } != nil)
  }

  @Test func `An upstream whose key cannot be decrypted is unusable instead of missing`() throws {
    let record = try record(1)
    try FileSystem.remove(folder.file(UpstreamSealer.file))
    let relay = try #require(registry.update([record], apps: apps)[1])
    let push = UpstreamPush(token: "ab", topic: "t", payload: [], id: "i")
    guard case .unreachable = relay.send(push, completion: { _ in }) else {
      Issue.record("a push was sent without a key")
      return
    }
    #expect(registry.state(ofApp: 1)?.hasPrefix("unusable: ") == true)
    #expect(carriers.list.isEmpty)
  }

  @Test func `A closed registry has closed its connections`() throws {
    _ = registry.update([try record(1)], apps: apps)
    registry.close()
    #expect(carriers.list.map(\.carrier.isClosed) == [true])
    #expect(registry.update([try record(1)], apps: apps).isEmpty)
  }
}
