import Foundation
import Synchronization
import TestSupport
import Testing

@testable import System

@Suite struct LogTests {
  private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func add(_ line: String) { lines.withLock { $0.append(line) } }
  }

  private let lines = Lines()

  private func log(_ level: Log.Level = .info) -> Log {
    Log(subsystem: "gateway", level: level, sink: LogSink { [lines] in lines.add($0) })
  }

  @Test
  func `a line has time, level, subsystem, message and fields`() throws {
    log().child("device").warning("link lost", ["device": "7", "reason": "timed out", "n": ""])
    let line = try #require(lines.all.first)
    let time = line.prefix(24)
    #expect(time.hasSuffix("Z"))
    #expect(time.dropFirst(10).hasPrefix("T"))
    #expect(
      line.dropFirst(24)
        == " warning gateway.device: link lost device=7 reason=\"timed out\" n=\"\"")
  }

  @Test
  func `a full log file is renamed, and the one before it is discarded`() throws {
    let scratch = try ScratchFolder()
    defer { withExtendedLifetime(scratch) {} }
    let path = scratch.file("agent.log")
    let file = BoundedLogFile(path, bytesMax: 20)
    for number in 1...7 { #expect(file.append("line \(number)")) }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "line 7\n")
    #expect(
      try String(contentsOfFile: path + ".1", encoding: .utf8) == "line 5\nline 6\n")
    #expect(try FileSystem.mode(of: path) & 0o777 == 0o600)
    #expect(file.append(String(repeating: "x", count: 100)))
    #expect(!BoundedLogFile(scratch.file("missing/agent.log")).append("lost"))
  }

  @Test
  func `lines below the level are not even made`() {
    func expensive() -> String {
      Issue.record("made")
      return ""
    }
    log(.warning).info(expensive())
    Log.silent.error(expensive())
    log(.warning).error("yes")
    #expect(lines.all.count == 1)
    #expect(log(.debug).isEnabled(.debug))
    #expect(!log().isEnabled(.debug))
    #expect(Log.Level(name: "warning") == .warning)
    #expect(Log.Level(name: "loud") == nil)
  }

  @Test
  func `a peer's text cannot forge a line or a field`() throws {
    log().info("a\nb", ["k": "v\r\n2026 error x: y", "q": "say \"hi\" = \u{1b}[31m"])
    let line = try #require(lines.all.first)
    #expect(!line.contains("\n"))
    #expect(!line.contains("\u{1b}"))
    #expect(line.hasSuffix(#"a\nb k="v\r\n2026 error x: y" q="say \"hi\" = \u{1b}[31m""#))
  }

  @Test
  func `a line is cut at its limit`() throws {
    log().info(String(repeating: "x", count: 20_000))
    #expect(try #require(lines.all.first).utf8.count <= Limits.logLineBytes + 3)
  }

  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (1_795_279_445_123, "2026-11-21T16:44:05.123Z"),
      (951_782_399_999, "2000-02-28T23:59:59.999Z"), (951_782_400_000, "2000-02-29T00:00:00.000Z"),
      (-1, "1969-12-31T23:59:59.999Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
      (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"), (.max, "9999-12-31T23:59:59.999Z"),
    ] as [(Int64, String)])
  func `times are those of the proleptic Gregorian calendar`(milliseconds: Int64, text: String) {
    #expect(Timestamp.rfc3339(unixMilliseconds: milliseconds) == text)
  }

  @Test(
    arguments: [
      (784_111_777_000, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
      (-1, "Wed, 31 Dec 1969 23:59:59 GMT"), (951_782_400_999, "Tue, 29 Feb 2000 00:00:00 GMT"),
      (.max, "Fri, 31 Dec 9999 23:59:59 GMT"),
    ] as [(Int64, String)])
  func `HTTP's dates name the day of the week`(_ milliseconds: Int64, _ text: String) {
    #expect(Timestamp.httpDate(unixMilliseconds: milliseconds) == text)
  }
}
