import BelfryWire
import PushWire
import Dispatch
import Foundation
import Storage
import Synchronization
import TestSupport
import Testing

@testable import Gateway

/// Tests of the questions that the administration asks the running loops.
@Suite struct DeliveryLogReaderTests {
  private final class Pending<Answer: Sendable>: Sendable {
    let answer = Mutex<Answer?>(nil)
    let isDone = DispatchSemaphore(value: 0)
  }

  private let scratch: ScratchFolder
  private let scenario: LoopScenario
  private let reader: DeliveryLogReader

  init() throws {
    scratch = try ScratchFolder()
    let scenario = try LoopScenario(loops: 2)
    self.scenario = scenario
    reader = DeliveryLogReader(
      kept: StoredDeliveryLog(
        folder: GatewayFolder(path: scratch.file("gateway")),
        store: try SQLiteControlStore.inMemory(), environment: .sandbox))
    let part = scenario.part
    reader.use([scenario.loop.mailbox(of: LoopMessage.self) { part.handle($0) }])
  }

  /// Returns the answer to a question, which another thread asks while the loop runs its turns.
  ///
  /// The reader itself limits the time for the answer.
  private func answer<Answer: Sendable>(
    _ ask: @escaping @Sendable (DeliveryLogReader) throws -> Answer
  ) throws -> Answer {
    let pending = Pending<Result<Answer, any Error>>()
    let reader = reader
    Thread.detachNewThread {
      let answer = Result { try ask(reader) }
      pending.answer.withLock { $0 = answer }
      pending.isDone.signal()
    }
    while pending.isDone.wait(timeout: .now() + .milliseconds(1)) == .timedOut {
      scenario.loop.turn(mayBlock: false)
    }
    let answer = pending.answer.withLock { $0 }
    return try #require(answer).get()
  }

  @Test func `the loops report when their devices were last connected`() throws {
    scenario.part.home.departedDevices.note(3, atMilliseconds: 77)
    let presences = try answer { try $0.presences() }
    #expect(presences == [3: DevicePresence(device: 3, isUp: false, lastSeenMilliseconds: 77)])
  }

  @Test func `the refusal is the last line of a push to a token whose registration ended`() {
    func line(_ milliseconds: Int64, _ state: String, reason: String? = nil) -> DeliveryLogLine {
      DeliveryLogLine(
        atMilliseconds: milliseconds, state: state, reason: reason,
        id: NotificationID(high: 1, low: 2), uniqueID: nil, device: 3, topic: "com.example.app")
    }
    let refused = line(5, DeliveryLogLine.refused, reason: "Unregistered")
    let discarded = line(5, DeliveryState.discardedUnregistered.label)
    let later = line(6, DeliveryState.sent.label)
    for lines in [[later, refused, discarded], [discarded, refused, later]] {
      #expect(DeliveryLogLine.chronological(lines) == [discarded, refused, later])
    }
  }

  @Test func `the loops report the lines of one token, or all lines`() throws {
    let part = scenario.part
    for device in [UInt64(1), 3] {
      part.home.appendToLog(
        DeliveryLog.Entry(
          atMilliseconds: Int64(device), state: .sent,
          key: NotificationKey(device: device, app: 1, kind: TokenKind.alert.rawValue),
          id: NotificationID(high: 1, low: device), uniqueID: NotificationID(high: 2, low: device)))
    }
    let token = part.front.tokens.seal(
      TokenContents(
        environment: part.front.environment, kind: .alert, generation: 0, app: 1, device: 3))
    for (query, devices) in [
      (.token(token), [3]), (.token([1, 2, 3]), []), (.everything, [1, 3]),
    ] as [(DeliveryLogQuery, [UInt64])] {
      let lines = try answer { try $0.lines(of: query) }
      #expect(lines.map(\.device) == devices)
    }
  }
}
