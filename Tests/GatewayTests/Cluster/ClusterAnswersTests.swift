import Storage
import PushWire
import Testing

@testable import Gateway

@Suite struct ClusterAnswersTests {
  @Test(arguments: [
    ClusterQuestion.log(.everything), .log(.token([1, 2, 3])),
    .log(.notification(NotificationID(high: 1, low: .max))), .presences,
  ])
  func `a question is decoded as it was encoded`(_ question: ClusterQuestion) {
    var bytes: [UInt8] = []
    ClusterMessage.question(number: 7, question).encode(into: &bytes)
    guard case .question(number: 7, question)? = ClusterMessage.decode(bytes[...], from: 2) else {
      Issue.record("\(bytes)")
      return
    }
  }

  @Test func `a line of the log is decoded as it was encoded`() throws {
    let lines = [
      DeliveryLogLine(
        atMilliseconds: 5, state: "Stored – Device Offline",
        id: NotificationID(high: 1, low: 2, isLowercase: true),
        uniqueID: NotificationID(high: 3, low: 4), device: 6, topic: "com.example.ä",
        pushType: .voip),
      DeliveryLogLine(
        atMilliseconds: 7, state: DeliveryLogLine.refused, reason: "BadTopic",
        id: NotificationID(high: 0, low: 0), uniqueID: nil, device: 0, topic: ""),
    ]
    var bytes: [UInt8] = []
    for line in lines { line.encode(into: &bytes) }
    var reader = ClusterReader(bytes[...])
    #expect(DeliveryLogLine(&reader) == lines[0])
    #expect(DeliveryLogLine(&reader) == lines[1])
    #expect(DeliveryLogLine(&reader) == nil)
    var whole: [UInt8] = []
    lines[0].encode(into: &whole)
    for count in whole.indices {
      var truncated = ClusterReader(whole.prefix(count))
      #expect(DeliveryLogLine(&truncated) == nil)
    }
  }

  @Test func `a long answer arrives in parts, and is complete only with all of them`() {
    let answer = (0..<3 * Limits.clusterAnswerPartBytes + 1).map { UInt8(truncatingIfNeeded: $0) }
    let answers = ClusterAnswers()
    let question = answers.begin([2, 3])
    let parts = ClusterAnswerPart.parts(of: answer, to: question)
    #expect(parts.count == 4)
    for part in parts {
      answers.add(part, from: 2)
      // A doubled part is ignored.
      answers.add(part, from: 2)
    }
    for part in parts where part.index != 1 { answers.add(part, from: 3) }
    // A node that was not asked is ignored.
    for part in parts { answers.add(part, from: 4) }
    let received = answers.finish(question, milliseconds: 0)
    #expect(received.keys.sorted() == [2])
    #expect(received[2] == answer)
    // An answer that is late is ignored.
    answers.add(parts[1], from: 3)
  }

  @Test func `an empty answer is complete`() {
    let answers = ClusterAnswers()
    let question = answers.begin([9])
    for part in ClusterAnswerPart.parts(of: [], to: question) { answers.add(part, from: 9) }
    #expect(answers.finish(question, milliseconds: 60_000) == [9: []])
  }

  @Test func `a device is connected if any node says so, and was last seen at the latest time`() {
    func presence(_ device: UInt64, _ isUp: Bool, _ time: Int64) -> DevicePresence {
      DevicePresence(device: device, isUp: isUp, lastSeenMilliseconds: time)
    }
    let merged = DevicePresence.merged(
      [1: presence(1, false, 90), 2: presence(2, true, 10), 3: presence(3, false, 1)],
      [presence(1, true, 20), presence(2, false, 99), presence(3, false, 2), presence(4, true, 5)])
    #expect(merged[1] == presence(1, true, 20))
    #expect(merged[2] == presence(2, true, 10))
    #expect(merged[3] == presence(3, false, 2))
    #expect(merged[4] == presence(4, true, 5) && merged.count == 4)
  }
}
