import BelfryWire
import Storage
import Testing

@testable import ProviderService

@Suite struct CampaignPacingTests {
  private let second: Int64 = 1_000_000_000

  @Test func `a rate spreads its pushes over each second`() {
    let group = ZoneGroup(number: 0, zone: .any)
    var pacing = CampaignPacing(groups: [group], sendTime: SendTime(), rate: 50) { _ in nil }
    var now = 10 * second
    var sent = 0
    while now < 12 * second {
      switch pacing.next(now: now, unixSeconds: 0) {
      case .claim(_, let limit):
        #expect(limit == 5)
        pacing.claimed(limit, now: now)
        pacing.batchEnded()
        sent += limit
      case .wait(let moment):
        #expect(moment > now)
        now = moment
      case let other:
        Issue.record("\(other)")
        return
      }
    }
    #expect(sent == 100)
  }

  @Test func `the batches in flight are limited, and the campaign finishes after the last one`() {
    let group = ZoneGroup(number: 0, zone: .any)
    var pacing = CampaignPacing(groups: [group], sendTime: SendTime(), rate: nil) { _ in nil }
    for _ in 0..<4 {
      #expect(pacing.next(now: 0, unixSeconds: 0) == .claim(group, limit: 500))
      pacing.claimed(500, now: 0)
    }
    #expect(pacing.next(now: 0, unixSeconds: 0) == .awaitBatches)
    pacing.batchEnded()
    #expect(pacing.next(now: 0, unixSeconds: 0) == .claim(group, limit: 500))
    pacing.exhausted(group)
    #expect(pacing.next(now: 0, unixSeconds: 0) == .awaitBatches)
    for _ in 0..<3 { pacing.batchEnded() }
    #expect(pacing.next(now: 0, unixSeconds: 0) == .finish)
  }

  @Test func `each zone is sent to when its own clock says so`() throws {
    let zones = DeviceZones()
    let tokyo = ZoneGroup(number: 0, zone: .named("Asia/Tokyo"))
    let nowhere = ZoneGroup(number: 1, zone: .named(nil))
    // At one hour after midnight UTC, it is 10:00 in Tokyo. At ten hours after midnight, it is 10:00 in UTC.
    let day = 20_000 * 86_400
    var pacing = CampaignPacing(
      groups: [nowhere, tokyo], sendTime: SendTime(start: .wall(day + 10 * 3_600)), rate: nil
    ) { zones.zone(named: $0) }
    #expect(pacing.next(now: 0, unixSeconds: day + 3_590) == .wait(until: 10 * second))
    #expect(pacing.next(now: 0, unixSeconds: day + 3_600) == .claim(tokyo, limit: 500))
    pacing.exhausted(tokyo)
    // The campaign checks the time again long before 10:00 UTC, because the clock can be set.
    #expect(pacing.next(now: 0, unixSeconds: day + 3_600) == .wait(until: 30 * second))
    #expect(pacing.next(now: 0, unixSeconds: day + 36_000) == .claim(nowhere, limit: 500))
  }
}
