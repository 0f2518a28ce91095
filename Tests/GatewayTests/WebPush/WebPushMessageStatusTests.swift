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
    let stored = try #require(WebPushMessageStatus(lines, storedSinceMilliseconds: 5))
    #expect(stored.state == .stored)
    #expect(stored.acceptedMilliseconds == 5)
    #expect(stored.changedMilliseconds == 1_800_000_000_001)
    let gone = try #require(WebPushMessageStatus(lines, storedSinceMilliseconds: nil))
    #expect(gone.state == (state == .sent ? .sent : .ended))
  }

  @Test func `a message without lines is known only while it is stored`() throws {
    let status = try #require(WebPushMessageStatus([], storedSinceMilliseconds: 5))
    #expect(status.state == .stored && status.changedMilliseconds == 5)
    #expect(WebPushMessageStatus([], storedSinceMilliseconds: nil) == nil)
    #expect(WebPushMessageStatus(ended: []) == nil)
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
