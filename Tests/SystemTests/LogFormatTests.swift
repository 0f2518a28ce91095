import Foundation
import Glibc
import TestSupport
import Testing

@testable import System

/// Tests of the machine-readable formats of log lines: logfmt, JSON, and the journal's datagrams.
@Suite struct LogFormatTests {
  private func record(
    _ message: String = "link lost", _ fields: KeyValuePairs<String, String> = [:],
    level: Log.Level = .warning
  ) -> LogRecord {
    LogRecord(
      unixMilliseconds: 1_795_279_445_123, level: level, subsystem: "gateway.device",
      message: message, fields: fields)
  }

  private func object(_ line: String) throws -> [String: String] {
    try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String])
  }

  @Test func `logfmt has a key for everything`() {
    let line = LogFormat.logfmt.line(record("link lost", ["device": "7", "why": "a \"b\"=c\n"]))
    #expect(
      line == "time=2026-11-21T16:44:05.123Z level=warning subsystem=gateway.device "
        + #"message="link lost" device=7 why="a \"b\"=c\n""#)
  }

  @Test(arguments: ["plain", "a \"b\" \\ c", "l1\nl2\r\t\u{0}\u{1b}[31m", "é\u{2028}😀", ""])
  func `A JSON line is one object, whatever a peer's text has`(text: String) throws {
    let line = LogFormat.json.line(record(text, ["why": text]))
    #expect(!line.contains("\n"))
    #expect(!line.unicodeScalars.contains { $0.value < 0x20 })
    let object = try object(line)
    #expect(object["at"] == "2026-11-21T16:44:05.123Z")
    #expect(object["level"] == "warning")
    #expect(object["subsystem"] == "gateway.device")
    #expect(object["message"] == text)
    #expect(object["why"] == text)
  }

  @Test func `A long line is cut where its form stays whole`() throws {
    let long = String(repeating: "é", count: 20_000)
    for fields in [[:], ["a": long, "b": long]] as [KeyValuePairs<String, String>] {
      let line = LogFormat.json.line(record(long, fields))
      #expect(line.utf8.count < Limits.logLineBytes + 500)
      #expect(try object(line).count > 3)
      #expect(LogFormat.logfmt.line(record(long, fields)).utf8.count < Limits.logLineBytes + 500)
      #expect(JournalSocket.datagram(record(long, fields)).count < 4 * Limits.logLineBytes)
    }
  }

  /// Returns the fields of a datagram, parsed as the documentation of the journal's native protocol specifies.
  private func fields(_ datagram: [UInt8]) throws -> [String: String] {
    var rest = datagram[...]
    var fields: [String: String] = [:]
    while !rest.isEmpty {
      let end = try #require(rest.firstIndex { $0 == 0x0A || $0 == 0x3D })
      let name = String(decoding: rest[..<end], as: UTF8.self)
      let isBinary = rest[end] == 0x0A
      rest = rest[(end + 1)...]
      var count = try isBinary ? 0 : #require(rest.firstIndex(of: 0x0A)) - rest.startIndex
      if isBinary {
        for byte in rest.prefix(8).reversed() { count = count << 8 | Int(byte) }
        rest = rest.dropFirst(8)
      }
      fields[name] = String(decoding: rest.prefix(count), as: UTF8.self)
      rest = rest.dropFirst(count)
      #expect(rest.first == 0x0A)
      rest = rest.dropFirst()
    }
    return fields
  }

  @Test func `The journal gets priority, subsystem and every field; a value may have lines`() throws
  {
    let datagram = JournalSocket.datagram(
      record(
        "lost\nPRIORITY=0", ["apnsID": "7", "insecureProvider": "off", "what": "a\nMESSAGE=b"]))
    #expect(
      try fields(datagram) == [
        "MESSAGE":
          #"gateway.device: lost\nPRIORITY=0 apnsID=7 insecureProvider=off what="a\nMESSAGE=b""#,
        "PRIORITY": "4", "SYSLOG_IDENTIFIER": "belfry", "BELFRY_SUBSYSTEM": "gateway.device",
        "BELFRY_APNS_ID": "7", "BELFRY_INSECURE_PROVIDER": "off", "BELFRY_WHAT": "a\nMESSAGE=b",
      ])
    let priorities = try [Log.Level.error, .info, .debug].map {
      try fields(JournalSocket.datagram(record(level: $0)))["PRIORITY"]
    }
    #expect(priorities == ["3", "6", "7"])
  }

  @Test(arguments: [nil, "", "8", "8:", "x:y", "1:2:3", "0:0"] as [String?])
  func `Standard error is the journal's only where its device and inode are`(stream: String?) {
    #expect(!JournalSocket.hasStandardError(journalStream: stream))
  }

  @Test func `Standard error that leads to the journal is known by its device and inode`() throws {
    // stat(1) follows the link to the file that standard error refers to.
    let stat = Process()
    stat.executableURL = URL(filePath: "/usr/bin/stat")
    stat.arguments = ["-L", "-c", "%d:%i", "/proc/\(getpid())/fd/2"]
    let output = Pipe()
    stat.standardOutput = output
    try stat.run()
    let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
    stat.waitUntilExit()
    let stream = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .newlines)
    #expect(stream.contains(":"))
    #expect(JournalSocket.hasStandardError(journalStream: stream))
    #expect(!JournalSocket.hasStandardError(journalStream: stream + "0"))
  }

  @Test
  func `A journal that is restarted gets lines again; without one they are not lost silently`()
    throws
  {
    let folder = try ScratchFolder()
    let path = folder.file("journal")
    let socket = try #require(JournalSocket(path: path))
    #expect(!socket.send(record()))
    for message in ["first", "second"] {
      let journal = try Journal(path: path)
      #expect(socket.send(record(message)))
      #expect(try fields(journal.receive())["MESSAGE"] == "gateway.device: \(message)")
      journal.close()
      #expect(!socket.send(record()))
    }
    #expect(JournalSocket(path: String(repeating: "x", count: 200)) == nil)
  }
}

/// A socket that receives datagrams, like journald's.
private struct Journal {
  private let descriptor: Int32
  private let path: String

  init(path: String) throws {
    self.path = path
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let bound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(bound == 0)
  }

  func receive() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
    return Array(bytes.prefix(max(0, count)))
  }

  func close() {
    Glibc.close(descriptor)
    unlink(path)
  }
}
