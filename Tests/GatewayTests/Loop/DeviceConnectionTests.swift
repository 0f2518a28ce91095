import PushWire
import Gateway
import Testing
import Transport

@testable import TestSupport

@Suite struct DeviceConnectionTests {
  @Test
  func `a device's connection moves to its home loop, whichever loop accepts it`() throws {
    let harness = try GatewayHarness(loops: 3)
    let devices = (0..<4).map { _ in harness.device() }
    for _ in 0..<4 {
      for device in devices { device.cutConnection() }
      harness.pass(milliseconds: 20_000)
      let provider = harness.provider()
      for device in devices {
        let push = try harness.push(to: device, by: provider)
        #expect(harness.state(of: push)?.shown == 1, "device \(device.index)")
      }
    }
    #expect(harness.violation == nil)
  }

  @Test
  func `a revoked device is disconnected at once and gets nothing more`() throws {
    let harness = try GatewayHarness()
    let device = harness.device()
    _ = try harness.world.gateway.administer(.revokeDevice(number: device.number))
    device.revoke()
    harness.pass(milliseconds: 500)
    let push = try harness.push(to: device, by: harness.provider())
    #expect(harness.state(of: push)?.isRefused == true)
    #expect(harness.state(of: push)?.shown == 0)
    #expect(harness.violation == nil)
  }

  @Test
  func `a device that is revoked during its greeting is disconnected and gets nothing`() throws {
    let harness = try GatewayHarness()
    let device = harness.device()
    device.subscribe(harness.world.channels[0])
    device.goOffline()
    harness.pass(milliseconds: 500)
    harness.world.addProvider()
    for _ in 0..<8 { harness.world.broadcast(isForAll: true) }
    harness.pass(milliseconds: 2_000)
    device.goOnline()
    while harness.world.gateway.deviceConnections == 0 {
      harness.world.step(until: harness.world.time.now + 50_000)
    }
    _ = try harness.world.gateway.administer(.revokeDevice(number: device.number))
    device.revoke()
    harness.pass(milliseconds: 2_000)
    #expect(harness.violation == nil)
    #expect(harness.world.gateway.deviceConnections == 0)
    #expect(harness.world.broadcasts.messages.contains { $0.isKept })
    #expect(harness.world.broadcasts.messages.allSatisfy { $0.shown.isEmpty })
  }

  @Test
  func `a client that speaks another protocol is closed at once`() throws {
    for offered in [nil, "h2"] {
      let harness = try GatewayHarness()
      let client = RawClient(
        harness, port: 5_223, as: StreamIdentity(negotiatedProtocol: offered))
      harness.pass(milliseconds: 100)
      #expect(client.isClosed && client.received.isEmpty)
      #expect(!harness.world.gateway.hasConnections)
      #expect(harness.violation == nil)
    }
  }

  @Test
  func `a connection that says nothing ends in time`() throws {
    let harness = try GatewayHarness()
    let client = RawClient(
      harness, port: 5_223,
      as: StreamIdentity(negotiatedProtocol: LinkLimits.applicationProtocol))
    harness.pass(milliseconds: 9_000)
    #expect(!client.isClosed)
    harness.pass(milliseconds: 3_000)
    #expect(client.isClosed)
    #expect(!harness.world.gateway.hasConnections)
  }

  @Test
  func `bytes that are no frame end the connection with a reason`() throws {
    let harness = try GatewayHarness()
    let client = RawClient(
      harness, port: 5_223,
      as: StreamIdentity(negotiatedProtocol: LinkLimits.applicationProtocol))
    client.send([UInt8](repeating: 0x7F, count: 64))
    harness.pass(milliseconds: 500)
    #expect(client.isClosed && !client.received.isEmpty)
    #expect(harness.violation == nil)
  }

  @Test
  func `a notification that a device has no room for stays stored until the device has room`()
    throws
  {
    let harness = try GatewayHarness()
    let device = harness.device()
    device.discarding = .noRoom
    let provider = harness.provider()
    let push = try harness.push(to: device, by: provider)
    #expect(harness.state(of: push)?.isAnswered == true)
    #expect(harness.labels(of: push).last == "Stored – No Room on Device")
    #expect(try harness.world.gateway.notificationStore.count() == 1)
    // The device isn't queried again immediately, not even for another push.
    let newer = try harness.push(to: device, by: provider)
    #expect(harness.labels(of: newer) == ["Received by APNs", "Stored – No Room on Device"])
    device.discarding = nil
    harness.pass(milliseconds: 70_000)
    #expect(harness.state(of: newer)?.shown == 1)
    #expect(harness.labels(of: push).last == "Replaced")
    #expect(harness.labels(of: newer).last == "Delivered (From Storage)")
    #expect(try harness.world.gateway.notificationStore.count() == 0)
    #expect(harness.violation == nil)
  }

  @Test(
    arguments: [
      (LinkDiscardReason.disabled, "Discarded – Disabled"),
      (.appGone, "Discarded – Token Unregistered"),
      (.unknownHandle, "Discarded – Token Unregistered"),
    ])
  func `a notification that a device discards is logged with the reason and removed`(
    reason: LinkDiscardReason, label: String
  ) throws {
    let harness = try GatewayHarness()
    let device = harness.device()
    device.discarding = reason
    let push = try harness.push(to: device, by: harness.provider())
    #expect(harness.state(of: push)?.isAnswered == true)
    #expect(harness.labels(of: push).last == label)
    #expect(try harness.world.gateway.notificationStore.count() == 0)
    #expect(harness.violation == nil)
  }
}
