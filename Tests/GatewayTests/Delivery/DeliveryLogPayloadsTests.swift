import PushWire
import TestSupport
import Testing

@testable import Gateway

/// Tests of the payloads that the delivery log retains with `--log-payloads`.
@Suite struct DeliveryLogPayloadsTests {
  private static func id(_ low: UInt64) -> NotificationID { NotificationID(high: 1, low: low) }

  /// Returns a payload in a buffer with room for at least `capacity` bytes.
  private static func payload(_ text: String, capacity: Int = 0) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(capacity)
    bytes.append(contentsOf: text.utf8)
    return bytes
  }

  private func address(of bytes: [UInt8]) -> UInt {
    bytes.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
  }

  @Test func `The newest payloads are kept, and no more than the limit`() throws {
    let payloads = try #require(DeliveryLogPayloads(countMax: 3))
    #expect(payloads.entry(of: Self.id(0)) == nil)
    for low in UInt64(1)...8 {
      payloads.retain(Self.payload("\(low)"), id: Self.id(low), uniqueID: Self.id(low + 100))
      #expect(payloads.entries.count == min(Int(low), 3))
      for age in UInt64(0)..<9 {
        let isKept = age < 3 && age < low
        #expect(
          payloads.entry(of: Self.id(low &- age))?.payload
            == (isKept ? Self.payload("\(low - age)") : nil), "\(low) \(age)")
      }
    }
    #expect(payloads.entry(of: Self.id(108))?.id == Self.id(8), "the apns-unique-id also finds it")
    #expect(payloads.entry(of: Self.id(105)) == nil)
  }

  @Test func `Of several pushes with one apns-id, the newest is found`() throws {
    let payloads = try #require(DeliveryLogPayloads(countMax: 3))
    for low in UInt64(1)...5 {
      payloads.retain(Self.payload("\(low)"), id: Self.id(1), uniqueID: nil)
      #expect(payloads.entry(of: Self.id(1))?.payload == Self.payload("\(low)"))
    }
  }

  @Test func `A payload shares its bytes, but not an oversized buffer`() throws {
    let payloads = try #require(DeliveryLogPayloads(countMax: 2))
    let whole = Self.payload(String(repeating: "a", count: 4_096))
    payloads.retain(whole, id: Self.id(1), uniqueID: nil)
    let kept = try #require(payloads.entry(of: Self.id(1)))
    #expect(address(of: kept.payload) == address(of: whole))
    payloads.retain(Self.payload("b", capacity: 100_000), id: Self.id(2), uniqueID: nil)
    #expect(payloads.entry(of: Self.id(2))?.payload == Self.payload("b"))
    #expect(payloads.entries.allSatisfy { $0.payload.capacity <= Limits.loggedPayloadBytes })
    payloads.retain([UInt8](repeating: 1, count: 5_121), id: Self.id(3), uniqueID: nil)
    #expect(payloads.entry(of: Self.id(3)) == nil, "no push can have a payload this long")
    expectAllocations(atMost: 0) { payloads.retain(whole, id: Self.id(4), uniqueID: nil) }
  }

  @Test func `Pushes for devices of two loops are in one ring, and without one nothing is kept`()
    throws
  {
    #expect(DeliveryLogPayloads(countMax: 0) == nil)
    let payloads = try #require(DeliveryLogPayloads(countMax: 1))
    let scenario = try LoopScenario(loops: 2, payloads: payloads)
    scenario.register(device: 1)
    for device in [UInt64(1), 2] {
      let payload = Self.payload("{}\(device)")
      scenario.submit(device: device, stream: 5, payload: payload, of: RecordingProvider())
      let kept = try #require(payloads.entry(of: LoopScenario.uniqueID))
      #expect(address(of: kept.payload) == address(of: payload))
      #expect(payloads.entries.count == 1)
    }
  }
}
