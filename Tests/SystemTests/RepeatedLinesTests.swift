import Foundation
import Synchronization
import Testing

@testable import System

/// Tests that repeated lines are combined into one line with a count.
@Suite struct RepeatedLinesTests {
  private static let second: Int64 = 1_000_000_000

  private func record(
    _ message: String = "refused", peer: String = "127.0.0.1:40000", why: String = "no protocol",
    level: Log.Level = .info, subsystem: String = "gateway"
  ) -> LogRecord {
    LogRecord(
      unixMilliseconds: 1_795_279_445_123, level: level, subsystem: subsystem, message: message,
      fields: ["peer": peer, "why": why])
  }

  private func count(_ record: LogRecord) -> Int {
    record.fields.first { $0.key == "repeated" }.flatMap { Int($0.value) } ?? 1
  }

  @Test func `A hundred thousand identical lines become the first one and their number`() {
    var lines = RepeatedLines()
    var written: [LogRecord] = []
    // Each line has a different port, as with several connections from one client.
    for number in 0..<100_000 {
      written += lines.take(record(peer: "127.0.0.1:\(number % 60_000)"), nanoseconds: 0)
    }
    #expect(written.map(count) == [1])
    let rest = lines.drain()
    #expect(rest.map(count) == [99_999])
    #expect(rest.first?.message == "refused" && rest.first?.fields.first?.key == "peer")
    #expect(lines.drain().isEmpty && lines.nextEnd == nil)
  }

  @Test func `The count is written after a second, then less and less often while lines repeat`() {
    var lines = RepeatedLines()
    var told: [(second: Int64, lines: Int)] = []
    for tenth in 0..<6_000 as Range<Int64> {
      for line in lines.take(record(), nanoseconds: tenth * Self.second / 10) {
        told.append((tenth / 10, count(line)))
      }
    }
    #expect(told.prefix(4).map(\.second) == [0, 1, 3, 7])
    #expect(zip(told, told.dropFirst()).allSatisfy { $1.second - $0.second <= 60 })
    #expect(told.count < 20)
    let (written, left) = (told.map(\.lines), lines.drain().map(count))
    #expect((written + left).reduce(0, +) == 6_000)
  }

  @Test func `A line that repeats after a pause is written at once`() {
    var lines = RepeatedLines()
    #expect(lines.take(record(), nanoseconds: 0).map(count) == [1])
    #expect(lines.nextEnd == nil)
    #expect(lines.take(record(), nanoseconds: Self.second).map(count) == [1])
    #expect(lines.take(record(), nanoseconds: Self.second + 1).isEmpty)
    #expect(lines.nextEnd == 2 * Self.second)
    #expect(lines.due(nanoseconds: 2 * Self.second).map(count) == [1])
  }

  @Test func `A line that differs in anything but the time and the peer's port is written`() {
    var lines = RepeatedLines()
    let different = [
      record(), record("Refused"), record(peer: "127.0.0.2:40000"), record(peer: "[::1]:40000"),
      record(why: "no protocol "), record(level: .warning), record(subsystem: "gateway.x"),
      // These strings are equal in Swift but differ in their bytes.
      record(why: "\u{E9}"), record(why: "e\u{301}"),
      record("refuse", why: "dno protocol"),
    ]
    for line in different {
      #expect(lines.take(line, nanoseconds: 0).count == 1, "\(line.message) \(line.fields)")
    }
    for line in different { #expect(lines.take(line, nanoseconds: 0).isEmpty) }
    #expect(lines.drain().count == different.count)
  }

  @Test func `A count is written before a later line of the same subsystem`() {
    var lines = RepeatedLines()
    func record(_ message: String, _ milliseconds: Int64, subsystem: String = "agent.gateway")
      -> LogRecord
    {
      LogRecord(
        unixMilliseconds: milliseconds, level: .info, subsystem: subsystem, message: message,
        fields: [:])
    }
    func take(_ record: LogRecord) -> [String] {
      lines.take(record, nanoseconds: record.unixMilliseconds * 1_000_000).map {
        "\($0.message) \($0.unixMilliseconds) \(count($0))"
      }
    }
    #expect(take(record("not connected", 10)) == ["not connected 10 1"])
    #expect(take(record("not connected", 20)).isEmpty)
    #expect(take(record("not connected", 30)).isEmpty)
    // Another subsystem reports other states.
    #expect(take(record("ready", 40, subsystem: "agent")) == ["ready 40 1"])
    #expect(take(record("connected", 50)) == ["not connected 30 2", "connected 50 1"])
    #expect(lines.nextEnd == nil)
    // The line is still remembered, so a flood of two alternating lines stays small.
    #expect(take(record("not connected", 60)).isEmpty)
    #expect(take(record("connected", 70)).isEmpty)
  }

  @Test func `No line is lost where more of them differ than are remembered`() {
    var lines = RepeatedLines(capacity: 8)
    var written: [String: Int] = [:]
    var given: [String: Int] = [:]
    func add(_ records: [LogRecord]) {
      for record in records { written[record.message, default: 0] += count(record) }
    }
    for number in 0..<5_000 {
      let message = "m\(number % 3 == 0 ? number : number % 11)"
      given[message, default: 0] += 1
      add(lines.take(record(message), nanoseconds: Int64(number) * Self.second / 100))
      lines.checkInvariants()
    }
    add(lines.drain())
    #expect(written == given)
  }

  @Test func `Long lines that differ only after the logged part count as repeated`() {
    var lines = RepeatedLines()
    let long = String(repeating: "\u{301}\u{316}", count: 500_000)
    _ = lines.take(record(why: long), nanoseconds: 0)
    #expect(lines.take(record(why: long + "more"), nanoseconds: 0).isEmpty)
    let kept = lines.drain().flatMap { $0.fields.map(\.value.utf8.count) }.reduce(0, +)
    #expect(kept < 2 * Limits.logLineBytes)
  }

  @Test func `Each form of a line has the number`() throws {
    let record = record().repeated(7)
    #expect(LogFormat.text.line(record).hasSuffix(#" why="no protocol" repeated=7"#))
    #expect(LogFormat.logfmt.line(record).hasSuffix(" repeated=7"))
    let object = try JSONSerialization.jsonObject(with: Data(LogFormat.json.line(record).utf8))
    #expect((object as? [String: String])?["repeated"] == "7")
    let datagram = String(decoding: JournalSocket.datagram(record), as: UTF8.self)
    #expect(datagram.contains("\nBELFRY_REPEATED=7\n"))
  }

  @Test(.timeLimit(.minutes(60)))
  func `The count is written even if no other line follows, and on flush`() async {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    let output = CollapsingOutput { record in
      continuation.yield(self.count(record))
    }
    var told = stream.makeAsyncIterator()
    // Only the sum is checked, because the number of lines in one record depends on how quickly they are written.
    func lines(upTo expected: Int) async -> Int {
      var sum = 0
      while sum < expected, let count = await told.next() { sum += count }
      return sum
    }
    for _ in 0..<1_000 { output.write(record()) }
    #expect(await told.next() == 1)
    #expect(await lines(upTo: 999) == 999)
    for _ in 0..<10 { output.write(record()) }
    output.flush()
    #expect(await lines(upTo: 10) == 10)
  }
}
