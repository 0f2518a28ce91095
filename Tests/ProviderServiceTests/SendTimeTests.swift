import BelfryWire
import Testing

@testable import ProviderService

@Suite struct SendTimeTests {
  private let zones = DeviceZones()

  private func earliest(
    _ time: SendTime, from now: String, in zone: String
  ) throws -> Int {
    guard case .instant(let instant)? = SendTime.start(now) else {
      throw RequestProblem("now", now, do: "mend the test")
    }
    return time.earliest(from: instant, in: try #require(zones.zone(named: zone)))
  }

  private func instant(_ text: String) -> Int? {
    guard case .instant(let instant)? = SendTime.start(text) else { return nil }
    return instant
  }

  @Test func `a moment with an offset is an instant, one without is the device's own`() {
    #expect(SendTime.start("1970-01-02T00:00") == .wall(86_400))
    #expect(SendTime.start("1970-01-02T00:00:07Z") == .instant(86_407))
    #expect(SendTime.start("1970-01-02T01:00+01:00") == .instant(86_400))
    for text in [
      "", "1970-01-02", "1970-02-30T00:00", "1970-01-02T24:00", "1970-01-02T00:00x",
      "1970-01-02T00:00+1", "1970-01-02T00:00:99",
    ] { #expect(SendTime.start(text) == nil, "\(text)") }
  }

  @Test func `a wall-clock time falls on a different moment in each time zone`() throws {
    let time = SendTime(start: SendTime.start("2026-03-29T18:00"))
    let now = "2026-03-01T00:00Z"
    #expect(try earliest(time, from: now, in: "Asia/Tokyo") == instant("2026-03-29T09:00Z"))
    #expect(try earliest(time, from: now, in: "Europe/Paris") == instant("2026-03-29T16:00Z"))
    #expect(try earliest(time, from: now, in: "UTC") == instant("2026-03-29T18:00Z"))
    // A time in the past means "now".
    #expect(
      try earliest(time, from: "2026-04-01T00:00Z", in: "UTC") == instant("2026-04-01T00:00Z"))
  }

  @Test func `quiet hours last until their end by the device's clock, over midnight too`() throws {
    let night = SendTime(quietHours: .init(from: 22 * 60, to: 8 * 60))
    let paris = "Europe/Paris"
    #expect(
      try earliest(night, from: "2026-01-10T21:30Z", in: paris) == instant("2026-01-11T07:00Z"))
    #expect(
      try earliest(night, from: "2026-01-11T02:00Z", in: paris) == instant("2026-01-11T07:00Z"))
    #expect(
      try earliest(night, from: "2026-01-11T07:00Z", in: paris) == instant("2026-01-11T07:00Z"))
    #expect(
      try earliest(night, from: "2026-01-11T12:00Z", in: paris) == instant("2026-01-11T12:00Z"))
    // The clocks are set forward during this night, but quiet hours still end at eight.
    #expect(
      try earliest(night, from: "2026-03-28T23:30Z", in: paris) == instant("2026-03-29T06:00Z"))
    let noon = SendTime(quietHours: .init(from: 12 * 60, to: 13 * 60))
    #expect(
      try earliest(noon, from: "2026-01-11T12:59Z", in: "UTC") == instant("2026-01-11T13:00Z"))
    #expect(
      try earliest(noon, from: "2026-01-11T11:59Z", in: "UTC") == instant("2026-01-11T11:59Z"))
  }
}
