import BelfryProvider
import BelfryWire
import PushWire
import Storage
import TestSupport
import Testing

@testable import ProviderService

/// Tests of a campaign's decisions about Web Push services that do not respond.
@Suite struct WebPushBatchTests {
  private static let second: Int64 = 1_000_000_000

  private func moment(_ seconds: Int64) -> CampaignMoment {
    CampaignMoment(
      nanoseconds: seconds * Self.second, unixMilliseconds: seconds * 1_000,
      campaignSeconds: seconds)
  }

  private func recipients(_ number: Int64, isWebPush: Bool) throws -> ClaimedRecipients {
    let subscription = try WebPushSubscription(
      endpoint: "https://push.example.net/\(number)", p256dh: TestSubscription.p256dh,
      auth: TestSubscription.auth)
    return ClaimedRecipients(
      readable: [
        CampaignAddressee(
          recipient: CampaignRecipient(number: number, sealed: [UInt8(number)], language: nil),
          token: [UInt8(number)], subscription: isWebPush ? subscription : nil,
          id: NotificationID(high: 0, low: UInt64(number)), language: "")
      ])
  }

  private func machine() -> CampaignMachine {
    var record = CampaignRecord(
      id: "c1", createdMilliseconds: 0, document: [], topic: "com.example.app", audience: .all,
      rate: nil)
    record.state = .running
    var machine = CampaignMachine(
      record,
      .init(sendTime: SendTime(), hasLog: true, environment: nil, settleNanoseconds: 1),
      random: SeededGenerator(seed: 1))
    machine.start([ZoneGroup(number: 0, zone: .any, isClaimed: false)]) { _ in nil }
    return machine
  }

  /// Claims and sends a batch with one recipient; returns false if the machine does not claim.
  private func claim(
    _ number: Int64, isWebPush: Bool, in machine: inout CampaignMachine, at now: CampaignMoment
  ) throws -> Bool {
    guard case .act(.claim) = machine.next(at: now) else { return false }
    let batch = CampaignBatch(
      number: number, group: 0, after: number - 1, last: number, claimedMilliseconds: 0)
    machine.claimed(batch, try recipients(number, isWebPush: isWebPush), at: now)
    guard case .act(.push) = machine.next(at: now) else { return false }
    return true
  }

  private func expectClaim(
    _ isExpected: Bool, _ number: Int64, isWebPush: Bool, in machine: inout CampaignMachine,
    at now: CampaignMoment
  ) throws {
    let isClaimed = try claim(number, isWebPush: isWebPush, in: &machine, at: now)
    #expect(isClaimed == isExpected, "\(number)")
  }

  @Test func `Services that do not respond delay the other recipients for two seconds`() throws {
    var machine = machine()
    for number in 1...Int64(Limits.batchesInFlightMax) {
      try expectClaim(true, number, isWebPush: true, in: &machine, at: moment(10))
    }
    guard case .wait(let until) = machine.next(at: moment(10)) else {
      Issue.record("claimed more batches than the limit")
      return
    }
    #expect(until == 12 * Self.second)
    try expectClaim(true, 9, isWebPush: false, in: &machine, at: moment(12))
    // Devices are not affected: their batches still count.
    for number in Int64(10)...12 {
      try expectClaim(true, number, isWebPush: false, in: &machine, at: moment(12))
    }
    try expectClaim(false, 13, isWebPush: false, in: &machine, at: moment(20))
  }

  @Test func `A subscription is tried again until the campaign gives up on its service`() throws {
    var machine = machine()
    try expectClaim(true, 1, isWebPush: true, in: &machine, at: moment(1))
    // No recipients are left to claim.
    guard case .act(.claim) = machine.next(at: moment(1)) else {
      Issue.record("the batch delays the claim of the next one")
      return
    }
    machine.claimed(nil, ClaimedRecipients(), at: moment(1))
    var attempts = 0
    var finished: [CampaignTally] = []
    var problems: Set<String?> = []
    for seconds in Int64(1)...2_000 where finished.isEmpty {
      if attempts == 0 {
        attempts = 1
      } else if !isRepeated(&machine, &finished, at: seconds) {
        continue
      } else {
        attempts += 1
      }
      machine.handle([.notSent(why: "it does not respond")], of: 1, at: moment(seconds))
      problems.insert(machine.campaign.problem)
    }
    #expect(attempts == Limits.webPushAttemptsMax)
    #expect(problems == ["it does not respond"])
    #expect(
      finished == [
        CampaignTally(
          outcome: .failed, reason: "PushServiceUnavailable", isWebPush: true, count: 1)
      ])
  }

  /// Performs the machine's steps; returns true once it sends the batch again.
  private func isRepeated(
    _ machine: inout CampaignMachine, _ finished: inout [CampaignTally], at seconds: Int64
  ) -> Bool {
    while case .act(let action) = machine.next(at: moment(seconds)) {
      switch action {
      case .push: return true
      case .write(.finish(_, let tallies, _)): finished = tallies
      default: continue
      }
    }
    return false
  }

  @Test func `After a crash, a message that was sent is not repeated, and its outcome is unknown`()
    throws
  {
    var machine = machine()
    let batch = CampaignBatch(number: 1, group: 0, after: 0, last: 1, claimedMilliseconds: 0)
    machine.recover(batch, try recipients(1, isWebPush: true), at: moment(1))
    guard case .act(.write(.finish(_, let tallies, _))) = machine.next(at: moment(1)) else {
      Issue.record("expected the end of the batch")
      return
    }
    #expect(
      tallies == [
        CampaignTally(outcome: .unknown, reason: "AnswerLost", isWebPush: true, count: 1)
      ])
  }

  @Test func `A refusal by one service never pauses the campaign`() throws {
    let service = ProviderEndpoint(host: "a", port: 1)
    for status in [400, 401, 403, 405, 413] {
      let refusal = WebPushOutcome.Refusal(status: status, reason: "BadJwtToken", message: "x")
      #expect(
        PushConsequence(.success(.rejected(refusal)), from: service)
          == .failed(reason: "status \(status)"))
    }
    for failure in [ProviderFailure.badCredentials("x"), .cannotStart("x"), .tooManyWaiting] {
      guard case .notSent = PushConsequence(.failure(.failed(failure)), from: service) else {
        Issue.record("\(failure)")
        continue
      }
    }
  }
}
