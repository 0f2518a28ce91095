import BelfryWire
import PushWire
import Storage
import System
import Testing
import Transport

@testable import Gateway
@testable import TestSupport

@Suite struct GatewayLoopTests {
  @Test
  func `a push is routed to the loop of its device, and the answer returns to its provider`() throws
  {
    let harness = try GatewayHarness(loops: 2)
    let devices = [harness.device(), harness.device()]
    let homes = Set(devices.map { $0.number % 2 })
    #expect(homes == [0, 1])
    // The provider has one connection, which belongs to one of the loops.
    let provider = harness.provider()
    for device in devices {
      let push = try harness.push(to: device, by: provider)
      #expect(harness.state(of: push)?.isAnswered == true)
      #expect(harness.state(of: push)?.shown == 1)
    }
    #expect(harness.violation == nil)
  }

  @Test
  func `a push that finds no home loop is answered`() throws {
    let scenario = try LoopScenario(loops: 2)
    let provider = RecordingProvider()
    scenario.submit(device: 2, stream: 5, of: provider)
    #expect(provider.answers == ["5 ServiceUnavailable"])
  }

  @Test
  func `a device whose rows cannot be read is disconnected, and reconnects`() throws {
    let harness = try GatewayHarness()
    let device = harness.device()
    harness.world.gateway.notificationStore.failingLoads = 1
    device.cutConnection()
    harness.pass(milliseconds: 30_000)
    #expect(harness.world.gateway.notificationStore.failingLoads == 0)
    let push = try harness.push(to: device, by: harness.provider())
    #expect(harness.state(of: push)?.shown == 1)
    #expect(harness.violation == nil)
  }

  @Test
  func `a commit that fails is answered 500, and the next one stores again`() throws {
    let harness = try GatewayHarness()
    let device = harness.device()
    device.goOffline()
    harness.pass(milliseconds: 100)
    harness.world.gateway.notificationStore.failingCommits = 1
    let failed = try harness.push(to: device, by: harness.provider())
    #expect(harness.state(of: failed)?.isRefused == true)
    let stored = try harness.push(to: device, by: harness.provider())
    #expect(harness.state(of: stored)?.isAnswered == true)
    device.goOnline()
    harness.pass(milliseconds: 5_000)
    #expect(harness.state(of: stored)?.shown == 1)
    #expect(harness.state(of: failed)?.shown == 0)
    #expect(harness.violation == nil)
  }

  @Test
  func `a drain ends, whoever is connected, and everything accepted is there afterwards`() throws {
    let harness = try GatewayHarness()
    let device = harness.device()
    device.goOffline()
    harness.pass(milliseconds: 100)
    let provider = harness.provider()
    let push = try harness.push(to: device, by: provider, wait: 20)
    harness.world.gateway.drain(backAfter: 1_000_000)
    harness.pass(milliseconds: 10_000)
    #expect(harness.world.gateway.isReady)
    device.goOnline()
    harness.pass(milliseconds: 10_000)
    let state = harness.state(of: push)
    #expect(state?.isAnswered == false || state?.shown == 1)
    #expect(harness.violation == nil)
  }

  @Test
  func `closed connections leave no state behind`() throws {
    let harness = try GatewayHarness()
    let device = harness.device()
    let provider = harness.provider()
    try harness.push(to: device, by: provider)
    #expect(harness.world.gateway.hasConnections)
    provider.goOffline()
    device.goOffline()
    harness.pass(milliseconds: 5_000)
    #expect(!harness.world.gateway.hasConnections, "\(harness.world.gateway.connectionCounts)")
    #expect(harness.world.network.connections.isEmpty)
  }
}

/// The part of a gateway that belongs to one loop.
final class LoopScenario {
  let loop: EventLoop
  let part: GatewayLoop
  private let time = VirtualTime()

  init(loops: Int, payloads: DeliveryLogPayloads? = nil) throws {
    loop = try EventLoop(clock: time)
    var configuration = GatewayConfiguration(folder: "/nonexistent")
    configuration.loops = loops
    let metrics = MetricRegistry()
    let open = StreamSecurity.identified(.init())
    let shared = GatewayShared(
      configuration: configuration,
      security: ListenerSecurity(provider: open, legacy: open, device: open, webPush: open),
      listeners: SocketListenerFactory(), tokenKeys: [[UInt8](repeating: 7, count: 32)],
      trustMark: [UInt8](repeating: 1, count: 32), cell: 0,
      writer: try GroupCommitWriter(store: MemoryNotificationStore(), metrics: metrics),
      controlWriter: try ControlWriter(store: try SQLiteControlStore.inMemory(), metrics: metrics),
      metrics: GatewayMetrics(registry: metrics),
      census: ConnectionCensus(
        bounds: configuration.connectionBounds, metrics: ConnectionMetrics(registry: metrics)),
      faults: FaultRegistry(), log: .silent,
      controlPlane: loop.mailbox(of: ControlPlaneMessage.self) { _ in },
      makeDeliveryLog: { _ throws(SystemFailure) in try DeliveryLog(capacity: 8) },
      payloads: payloads, randomSeed: 1, didStartLoop: nil)
    part = try GatewayLoop(
      index: 1, loop: loop, shared: shared,
      directory: CredentialDirectory(version: 1, keys: [], apps: []),
      devices: DeviceTable(), registrations: RegistrationTable(),
      deliveryLog: try DeliveryLog(capacity: 8),
      highestSequence: 0)
  }

  deinit { loop.releaseAll() }

  /// Stores the device's token for the first app.
  func register(device: UInt64) {
    part.home.registrations.set(
      NotificationKey(device: device, app: 1, kind: TokenKind.alert.rawValue),
      to: RegistrationTable.Entry(generation: 0, state: .active, changedMilliseconds: 0))
  }

  /// The `apns-unique-id` of every push.
  static let uniqueID = NotificationID(high: 1, low: 2)

  /// Submits a push for the first app to a device.
  func submit(
    device: UInt64, stream: Int32, payload: [UInt8] = [], of provider: RecordingProvider
  ) {
    part.front.submit(
      Submission(
        TokenContents(environment: .sandbox, kind: .alert, generation: 0, app: 1, device: device),
        id: NotificationID(high: 1, low: 1), uniqueID: Self.uniqueID,
        expiration: .max, priority: 10, pushType: .alert, collapseID: [], payload: payload,
        acceptedMilliseconds: loop.unixMilliseconds, keep: 1,
        reply: part.front.address(of: provider, stream)),
      of: provider)
  }
}

/// A provider that records its answers.
final class RecordingProvider: ProviderPeer {
  let number: UInt64 = 1
  let load = ProviderLoad()
  private(set) var answers: [String] = []

  func answer(_ stream: Int32, _ answer: ProviderAnswer) {
    switch answer {
    case .accepted: answers.append("\(stream) accepted")
    case .refused(let rejection, _): answers.append("\(stream) \(rejection.reason)")
    }
  }

  func drain() {}
  func close() {}
}
