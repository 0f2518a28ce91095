import Foundation
import PushWire
import System
import TestSupport
import Testing

@testable import Agent

/// Tests that a run empties only a file of received pushes.
@Suite struct ReceivedFileTests {
  private let folder: ScratchFolder
  private let path: String

  init() throws {
    folder = try ScratchFolder()
    path = folder.file("received.jsonl")
  }

  private func write(_ text: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
  }

  private func text() throws -> String {
    String(decoding: try FileSystem.read(path, limit: 1 << 20), as: UTF8.self)
  }

  /// Returns the message of the error that the beginning of a run causes; nil if the run begins.
  private func refusal() -> String? {
    do throws(SystemFailure) {
      _ = try ReceivedFile(path)
      return nil
    } catch {
      return error.description
    }
  }

  @Test func `a run begins with an empty file, so that no push of an earlier run is left`() throws {
    #expect(refusal() == nil)
    #expect(try FileSystem.mode(of: path) == 0o600)
    #expect(refusal() == nil)
    let payload = #"{"aps":{"alert":"\#(String(repeating: "x", count: 5_000))"}}"#
    let notification = LinkNotification(
      handle: 1, id: NotificationID(high: 1, low: 2), uniqueID: NotificationID(high: 3, low: 4),
      acceptedMilliseconds: 5, expiration: 6, isFromStorage: false, priority: 10, pushTypeCode: 1,
      collapseID: [], payload: Array(payload.utf8))
    let earlier = try ReceivedFile(path)
    for _ in 0..<20 {
      earlier.append(
        notification, for: .topic(LinkTopic(bundleID: "com.example.app")), token: [1, 2], device: 7)
    }
    #expect(try text().utf8.count > 100_000)
    #expect(refusal() == nil)
    #expect(try text().isEmpty)
  }

  @Test(arguments: [
    "my own notes\nline 2\n", "\n", "{}\n", "[\"received\"]\n",
    #"{"event":"registered","token":"aa"}"#, #"{"event":"received""#,
  ])
  func `a file with other content stays unchanged`(content: String) throws {
    try write(content)
    #expect(refusal()?.contains("\(path) has content other than received pushes") == true)
    #expect(try text() == content)
  }

  @Test func `a missing folder is named, with what to do`() throws {
    let failure = #expect(throws: SystemFailure.self) {
      _ = try ReceivedFile(folder.file("missing/received.jsonl"))
    }
    let problem = "the folder \(folder.file("missing")) does not exist"
    #expect(failure?.description == "\(problem): create the folder, or choose another path")
  }
}
