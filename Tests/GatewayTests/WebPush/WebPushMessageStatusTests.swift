import BelfryWire
import PushWire
import Storage
import Testing

@testable import Gateway

/// Tests of what a sender can read about its Web Push message.
@Suite struct WebPushMessageStatusTests {
  private func lines(_ states: DeliveryState...) -> [DeliveryLog.Entry] {
    states.enumerated().map { index, state in
      DeliveryLog.Entry(
        atMilliseconds: 1_800_000_000_000 + Int64(index), state: state,
        key: NotificationKey(device: 1, app: 2, kind: 7), id: NotificationID(high: 1, low: 2),
        uniqueID: NotificationID(high: 3, low: 4))
    }
  }

  private func times(expiration: Int64 = .max) -> StoredTimes {
    StoredTimes(acceptedMilliseconds: 5, expiration: expiration)
  }

  private func status(
    _ lines: [DeliveryLog.Entry], stored: StoredTimes? = nil, sent: UnacknowledgedRow? = nil,
    at now: Int64 = 1_800_000_000
  ) -> WebPushMessageStatus? {
    WebPushMessageStatus(lines, stored: stored, sent: sent, atUnixSeconds: now)
  }

  @Test(arguments: [
    (DeliveryState.delivered, WebPushMessageStatus.State.delivered),
    (.deliveredFromStorage, .delivered), (.replaced, .replaced), (.discardedExpired, .expired),
    (.withdrawn, .withdrawn), (.discardedUnregistered, .discarded),
    (.discardedUnregisteredFromStorage, .discarded), (.discardedDisabled, .discarded),
    (.discardedDisabledFromStorage, .discarded),
  ])
  func `the last line tells how a message ended`(
    _ end: DeliveryState, _ state: WebPushMessageStatus.State
  ) throws {
    let status = try #require(WebPushMessageStatus(ended: lines(.received, .storedOffline, end)))
    #expect(status.state == state)
    #expect(status.acceptedMilliseconds == 1_800_000_000_000)
    #expect(status.changedMilliseconds == 1_800_000_000_002)
  }

  @Test(arguments: [
    DeliveryState.received, .sent, .storedOffline, .storedPower, .storedNoRoom,
  ])
  func `without an end, the store decides`(_ state: DeliveryState) throws {
    let lines = lines(.received, state)
    #expect(WebPushMessageStatus(ended: lines) == nil)
    let stored = try #require(status(lines, stored: times()))
    #expect(stored.state == .stored)
    #expect(stored.acceptedMilliseconds == 5)
    #expect(stored.changedMilliseconds == 1_800_000_000_001)
    let gone = try #require(status(lines))
    #expect(gone.state == (state == .sent ? .sent : .ended))
  }

  @Test func `a message without lines is known only while it is stored`() throws {
    let stored = try #require(status([], stored: times()))
    #expect(stored.state == .stored && stored.changedMilliseconds == 5)
    #expect(status([]) == nil)
    #expect(WebPushMessageStatus(ended: []) == nil)
  }

  @Test func `a stored message has expired once its time has ended, unless it was sent in time`()
    throws
  {
    let lines = lines(.received, .storedOffline)
    let stored = times(expiration: 1_800_000_010)
    #expect(status(lines, stored: stored, at: 1_800_000_009)?.state == .stored)
    let expired = try #require(status(lines, stored: stored, at: 1_800_000_010))
    #expect(expired.state == .expired && expired.acceptedMilliseconds == 5)
    #expect(expired.changedMilliseconds == 1_800_000_010_000)
    let sent = status(lines, stored: stored, sent: .unchanged, at: 1_800_000_010)
    #expect(sent?.state == .stored)
  }

  @Test(arguments: [
    (DroppedNotification.Reason.withdrawn, WebPushMessageStatus.State.withdrawn),
    (.replaced, .replaced), (.expired, .expired), (.unregistered, .discarded),
    (.claimLost, .ended),
  ])
  func `a message in flight whose row was dropped has the state of the reason`(
    _ reason: DroppedNotification.Reason, _ state: WebPushMessageStatus.State
  ) {
    #expect(status(lines(.received, .sent), sent: .lost(reason))?.state == state)
    #expect(status(lines(.received, .storedOffline), sent: .lost(reason))?.state == state)
    #expect(status(lines(.received, .sent), sent: .unchanged)?.state == .sent)
  }

  @Test func `the answer has the state and the times, and nothing else`() throws {
    let status = try #require(WebPushMessageStatus(ended: lines(.received, .withdrawn)))
    #expect(
      String(decoding: status.json.bytes, as: UTF8.self)
        == #"{"state":"withdrawn","accepted":"2027-01-15T08:00:00.000Z","#
        + #""changed":"2027-01-15T08:00:00.001Z"}"#)
    // The first lines can be lost, once the log is full.
    let late = try #require(WebPushMessageStatus(ended: lines(.delivered)))
    #expect(late.json["accepted"] == nil)
  }

  @Test func `a loop answers a limited number of questions per second`() {
    var questions = MessageQuestions()
    let admitted = (0..<1_000).count { _ in questions.admits(at: 1_000_000_000) }
    #expect(admitted == Int(Limits.messageQuestionsPerSecond))
    let isAdmittedLater = questions.admits(at: 2_000_000_000)
    #expect(isAdmittedLater)
  }
}
