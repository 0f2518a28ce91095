import System
import Testing

@testable import Gateway

@Suite struct ConnectionBoundsTests {
  @Test(arguments: [0, 64, 256, 1_024, 20_000, 1_048_576, Int(Int32.max)], [1, 2, 16, 256])
  func `every bound follows from the descriptors, and all together fit in them`(
    descriptors: Int, loops: Int
  ) {
    let bounds = ConnectionBounds(descriptors: descriptors, loops: loops)
    bounds.checkInvariants()
    #expect(bounds.total + bounds.console < max(128, descriptors))
    #expect(bounds.unproven < bounds.total && bounds.providers < bounds.total)
    #expect(bounds.devices + bounds.total / 8 <= bounds.total, "devices leave room for providers")
    #expect(bounds.handshakes == 1 || bounds.handshakes * loops < bounds.unproven)
  }

  @Test func `more descriptors are more connections`() {
    let few = ConnectionBounds(descriptors: 1_024, loops: 2)
    let many = ConnectionBounds(descriptors: 20_000, loops: 2)
    #expect(few.total < 1_024 && many.total > 18_000)
    #expect(many.devices > 16_000)
    #expect(many.unprovenOfAddress > 5_000, "many devices behind one address are admitted")
    #expect(few.unproven < many.unproven && few.providers < many.providers)
  }

  private let census = ConnectionCensus(
    bounds: ConnectionBounds(descriptors: 1_024, loops: 1),
    metrics: ConnectionMetrics(registry: MetricRegistry()))

  private func places(_ count: Int, _ address: (Int) -> String) -> [ConnectionSlot] {
    (0..<count).map { ConnectionSlot(census, address: address($0), since: 0) }
  }

  @Test func `one address leaves unproven places to others`() {
    let held = places(census.bounds.unprovenOfAddress) { _ in "a" }
    #expect(census.excess(.provider, from: "a") == .address)
    #expect(census.excess(.device, from: "a") == .address)
    #expect(census.excess(.provider, from: "b") == nil)
    withExtendedLifetime(held) {}
  }

  @Test func `a slot ends with its connection, proven or not`() {
    var held = places(census.bounds.unproven) { "\($0)" }
    #expect(census.excess(.provider, from: "x") == .unproven)
    held[0].proveProvider()
    held[0].proveProvider()
    #expect(census.totals == (census.bounds.unproven - 1, 1, 0))
    #expect(census.excess(.provider, from: "x") == nil)
    held.removeAll()
    #expect(census.totals == (0, 0, 0))
  }

  @Test func `a connection that moves before it authenticates keeps its place`() {
    var held = places(census.bounds.unprovenOfAddress) { _ in "a" }
    var arrivals = held.map(\.arrival)
    for slot in held { slot.proveDevice() }
    held.removeAll()
    #expect(census.totals == (census.bounds.unprovenOfAddress, 0, 0))
    #expect(census.excess(.provider, from: "a") == .address)
    arrivals.removeAll()
    #expect(census.totals == (0, 0, 0))
  }

  @Test func `providers of one address leave room to others, and devices to providers`() {
    let held = places(census.bounds.providersOfAddress) { _ in "a" }
    for slot in held { slot.proveProvider() }
    #expect(census.excess(.provider, from: "a") == .provider)
    #expect(census.excess(.provider, from: "b") == nil)
    #expect(census.excess(.device, from: "a") == nil)
    census.countDevice(census.bounds.devices)
    #expect(census.excess(.device, from: "b") == .device)
    #expect(
      census.excess(.provider, from: "b") == .total || census.excess(.provider, from: "b") == nil)
  }
}
