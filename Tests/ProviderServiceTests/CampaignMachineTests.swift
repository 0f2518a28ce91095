import BelfryProvider
import PushWire
import Storage
import TestSupport
import Testing

@testable import ProviderService

/// Tests of a campaign's decisions, without a store or a service.
@Suite struct CampaignMachineTests {
  private static let night = SendTime.QuietHours(from: 22 * 60, to: 8 * 60)
  private static let hour: Int64 = 3_600

  /// Returns a time on the first day of 1970, in UTC.
  private func moment(_ seconds: Int64) -> CampaignMoment {
    CampaignMoment(
      nanoseconds: seconds * 1_000_000_000, unixMilliseconds: seconds * 1_000,
      campaignSeconds: seconds)
  }

  private func recipients(_ numbers: ClosedRange<Int64>) -> ClaimedRecipients {
    ClaimedRecipients(
      readable: numbers.map { number in
        CampaignAddressee(
          recipient: CampaignRecipient(number: number, sealed: [UInt8(number)], language: nil),
          token: [UInt8(number)], id: NotificationID(high: 0, low: UInt64(number)), language: "")
      })
  }

  private func machine(_ sendTime: SendTime, zones: [String]) -> CampaignMachine {
    var record = CampaignRecord(
      id: "c1", createdMilliseconds: 0, document: [], topic: "com.example.app", audience: .all,
      rate: nil)
    record.state = .running
    var machine = CampaignMachine(
      record,
      .init(sendTime: sendTime, hasLog: true, environment: nil, settleNanoseconds: 3_000_000_000),
      random: SeededGenerator(seed: 1))
    machine.start(
      zones.enumerated().map { ZoneGroup(number: $0, zone: .named($1), isClaimed: false) }
    ) { DeviceZones().zone(named: $0) }
    return machine
  }

  @Test func `a retry that falls into quiet hours waits for their end, while other zones continue`()
    throws
  {
    var start = SendTime()
    start.quietHours = Self.night
    var machine = machine(start, zones: ["UTC", "Asia/Tokyo"])
    // In Tokyo, it is 06:59:59, so only the devices in UTC can receive the campaign.
    let evening = moment(22 * Self.hour - 1)
    guard case .act(.claim(let group, _)) = machine.next(at: evening) else {
      Issue.record("expected a claim")
      return
    }
    #expect(group.number == 0)
    let batch = CampaignBatch(number: 1, group: 0, after: 0, last: 3, claimedMilliseconds: 0)
    machine.claimed(batch, recipients(1...3), at: evening)
    guard case .act(.push(1, let addressees)) = machine.next(at: evening) else {
      Issue.record("expected pushes")
      return
    }
    #expect(addressees.count == 3)
    let busy = PushConsequence(
      .success(
        .rejected(
          .init(status: 503, reason: "ServiceUnavailable", timestampMilliseconds: nil, id: ""))))
    machine.handle([busy, busy, busy], of: 1, at: evening)
    var writes = 0
    var night = moment(22 * Self.hour + 60)
    loop: while true {
      switch machine.next(at: night) {
      case .act(.write): writes += 1
      case .act(.warn): continue
      case .act(.claim(let group, _)):
        #expect(group.number == 0, "only the group of UTC could have been asked for")
        Issue.record("claimed during quiet hours")
        return
      case .act(.push):
        Issue.record("a push was repeated during quiet hours")
        return
      case .wait:
        break loop
      case .act(.readLog), .end:
        Issue.record("unexpected step")
        return
      }
    }
    #expect(writes == 2)
    #expect(machine.timeWait?.reason == .quietHours)
    // At 23:00 in UTC, it is 08:00 in Tokyo.
    night = moment(23 * Self.hour)
    guard case .act(.claim(let other, _)) = machine.next(at: night) else {
      Issue.record("the other zone does not continue")
      return
    }
    #expect(other.number == 1)
    machine.claimed(nil, ClaimedRecipients(), at: night)
    guard case .wait = machine.next(at: night) else {
      Issue.record("expected a wait")
      return
    }
    #expect(machine.timeWait?.untilUnixSeconds == 32 * Int(Self.hour))
    guard case .act(.write(.narrow)) = machine.next(at: moment(32 * Self.hour)),
      case .act(.push(1, let repeated)) = machine.next(at: moment(32 * Self.hour))
    else {
      Issue.record("the retry did not follow the quiet hours")
      return
    }
    #expect(repeated.count == 3)
  }

  @Test func `a campaign that is paused on request keeps no problem, unlike one that was refused`()
  {
    for (isRefused, status, reason) in [
      (false, 503, "ServiceUnavailable"), (true, 403, "InvalidProviderToken"),
    ] {
      var machine = machine(SendTime(), zones: ["UTC"])
      guard case .act(.claim) = machine.next(at: moment(1)) else {
        Issue.record("expected a claim")
        return
      }
      let batch = CampaignBatch(number: 1, group: 0, after: 0, last: 1, claimedMilliseconds: 0)
      machine.claimed(batch, recipients(1...1), at: moment(1))
      guard case .act(.push) = machine.next(at: moment(1)) else {
        Issue.record("expected a push")
        return
      }
      let answer = PushConsequence(
        .success(
          .rejected(.init(status: status, reason: reason, timestampMilliseconds: nil, id: ""))))
      machine.handle([answer], of: 1, at: moment(1))
      #expect(machine.campaign.problem != nil)
      machine.stop(leaving: .paused)
      var stored: CampaignRecord?
      while case .act(let action) = machine.next(at: moment(1)) {
        if case .write(.update(let record)) = action { stored = record }
      }
      #expect(stored?.state == .paused)
      #expect((stored?.problem != nil) == isRefused, "\(stored?.problem ?? "no problem")")
    }
  }

  @Test func `a recovered batch counts the recipients whose tokens cannot be read`() {
    var machine = machine(SendTime(), zones: [])
    var recovered = recipients(1...1)
    recovered.readable = []
    recovered.unreadable = [("en", false), ("en", false)]
    let batch = CampaignBatch(number: 1, group: 0, after: 0, last: 2, claimedMilliseconds: 0)
    machine.recover(batch, recovered, at: moment(1))
    guard case .act(.write(.finish(_, let tallies, _))) = machine.next(at: moment(1)) else {
      Issue.record("expected the end of the batch")
      return
    }
    #expect(
      tallies == [
        CampaignTally(outcome: .failed, reason: "UnreadableToken", language: "en", count: 2)
      ])
  }
}
