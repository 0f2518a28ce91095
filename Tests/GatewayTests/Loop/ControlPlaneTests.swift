import BelfryWire
import PushWire
import Storage
import Testing

@testable import Gateway
@testable import TestSupport

@Suite struct ControlPlaneTests {
  @Test
  func `a device is enrolled once that is on disk; where it cannot be, it tries again`() throws {
    let harness = try GatewayHarness()
    harness.world.gateway.controlStore.failingChanges = 1
    harness.world.addDevice(1)
    harness.pass(milliseconds: 60_000)
    let device = harness.world.devices[0]
    #expect(harness.world.gateway.controlStore.failingChanges == 0)
    #expect(device.number != 0)
    #expect(harness.world.gateway.controlStore.durableDevices == [device.number])
    #expect(harness.violation == nil)
  }

  @Test
  func `an app is adopted by the first device that registers it, for every loop`() throws {
    let harness = try GatewayHarness()
    let devices = [harness.device(), harness.device()]
    let topic = LinkTopic(bundleID: "com.example.new")
    for device in devices { device.register(topic) }
    harness.pass(milliseconds: 1_000)
    #expect(harness.world.app(of: topic) != 0)
    let apps = try harness.world.gateway.controlStore.apps().filter {
      $0.bundleID == topic.bundleID
    }
    #expect(apps.count == 1)
    #expect(harness.violation == nil)
  }

  @Test
  func `an adoption reads one row, and its device is remembered`() throws {
    let harness = try GatewayHarness()
    let device = harness.device()
    let store = harness.world.gateway.controlStore
    let (apps, keys) = (store.appReadings, store.keyReadings)
    for number in 0..<Limits.adoptionsPerDeviceMax {
      device.register(LinkTopic(bundleID: "com.example.new\(number)"))
      harness.pass(milliseconds: 50)
    }
    harness.pass(milliseconds: 1_000)
    #expect(store.appLookUps == Limits.adoptionsPerDeviceMax)
    #expect(store.appReadings == apps && store.keyReadings == keys, "no table is read completely")
    let adopted = try store.apps().filter { $0.adopter == device.number }
    #expect(adopted.count == Limits.adoptionsPerDeviceMax)
    // Another device has its own limit.
    let other = harness.device()
    other.register(LinkTopic(bundleID: "com.example.of-another"))
    harness.pass(milliseconds: 1_000)
    #expect(try store.apps().contains { $0.adopter == other.number })
    #expect(harness.violation == nil)
  }

  @Test
  func `Devices together adopt a thousand apps at once, then one a minute; the others try again`()
    throws
  {
    let harness = try GatewayHarness()
    let store = harness.world.gateway.controlStore
    func adopted() throws -> Int { try store.apps().count { $0.adopter != nil } }
    let former = try adopted()
    for deviceNumber in 0..<5 {
      let device = harness.device()
      for number in 0..<250 {
        device.register(LinkTopic(bundleID: "com.example.d\(deviceNumber).a\(number)"))
      }
      harness.pass(milliseconds: 5_000)
    }
    let first = try adopted() - former
    #expect((1_000...1_002).contains(first), "\(first)")
    // The device automatically repeats requests that were refused temporarily.
    harness.pass(milliseconds: 600_000)
    let later = try adopted() - former
    #expect((first + 5...first + 12).contains(later), "\(later)")
    #expect(harness.violation == nil)
  }

  @Test
  func `an app whose directory cannot be read is refused for now, not asked for all the time`()
    throws
  {
    let harness = try GatewayHarness()
    let device = harness.device()
    let store = harness.world.gateway.controlStore
    // The change is already on disk, although the loops haven't been notified.
    try store.apply([
      .putApp(
        AppRecord(
          number: 70, bundleID: "com.example.new", team: SimulatedIdentities.team,
          createdMilliseconds: 0))
    ])
    let before = store.appReadings
    device.register(LinkTopic(bundleID: "com.example.new"))
    harness.pass(milliseconds: 1_000)
    #expect(harness.violation == nil, "the loops must not ask each other endlessly")
    #expect(store.appLookUps == 1, "the app is looked up once")
    #expect(store.appReadings - before == 1, "the directory reads the apps once")
    #expect(
      store.wasDurable(
        .init(device: device.number, app: 70, kind: TokenKind.alert.rawValue), generation: 0))
  }

  @Test
  func `keys and apps that cannot be read are read again each second, until they were`() throws {
    let harness = try GatewayHarness()
    let device = harness.device()
    let store = harness.world.gateway.controlStore
    store.failingKeyReadings = 2
    _ = try harness.world.gateway.administer(
      .addTopic(.init(team: SimulatedIdentities.team, bundleID: "com.example.added")))
    let readings = store.keyReadings
    #expect(store.failingKeyReadings == 1, "a reading failed, so the loops have the old keys")
    harness.pass(milliseconds: 900)
    #expect(store.keyReadings == readings, "a failing disk is not read again immediately")
    harness.pass(milliseconds: 200)
    #expect(store.keyReadings == readings + 1)
    harness.pass(milliseconds: 10_000)
    #expect(store.keyReadings == readings + 2, "keys that were read are not read again")
    #expect(harness.violation == nil)

    let appReadings = store.appReadings
    device.register(LinkTopic(bundleID: "com.example.added"))
    harness.pass(milliseconds: 1_000)
    #expect(store.appReadings == appReadings, "the device's loop knows the app")
    #expect(harness.world.gateway.controlStore.durableRegistrations.count == 2)
  }

  @Test
  func `an administrator's change reaches every loop before the command ends`() throws {
    let harness = try GatewayHarness(loops: 3)
    let lines = try harness.world.gateway.administer(
      .addTopic(.init(team: SimulatedIdentities.team, bundleID: "com.example.added")))
    #expect(lines.count == 1)
    #expect(harness.violation == nil, "every loop must have handled the change")
  }
}

@Suite struct ChannelServiceTests {
  @Test
  func `a channel is made once it is on disk, and not where it cannot be`() throws {
    let harness = try GatewayHarness()
    let provider = harness.provider()
    provider.makeChannel()
    harness.pass(milliseconds: 500)
    #expect(harness.world.gateway.controlStore.durableChannels.count == 3)
    harness.world.gateway.controlStore.failingChanges = 1
    provider.makeChannel()
    harness.pass(milliseconds: 500)
    #expect(harness.world.gateway.controlStore.durableChannels.count == 3)
    #expect(!provider.hasOpenRequests, "the request was answered")
    #expect(harness.violation == nil)
  }

  @Test
  func
    `a broadcast reaches the subscribers of both loops, one of a kept channel once it is on disk`()
    throws
  {
    let harness = try GatewayHarness()
    let devices = [harness.device(), harness.device()]
    for device in devices { for channel in harness.world.channels { device.subscribe(channel) } }
    harness.pass(milliseconds: 500)
    harness.world.addProvider()
    for _ in 0..<4 { harness.world.broadcast(isForAll: true) }
    harness.pass(milliseconds: 2_000)
    harness.world.broadcasts.check()
    let unanswered = harness.world.broadcasts.messages.filter { !$0.isAnswered }
    #expect(unanswered.isEmpty)
    #expect(harness.violation == nil)
  }
}
