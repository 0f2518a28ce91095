import Foundation
import TestSupport
import Testing

@testable import UserNotifications

/// Tests of what happens to an attachment's file when its notification is added.
@Suite struct AttachmentStoreTests {
  private let scratch: ScratchFolder
  private let store: AttachmentStore
  private let bundle: URL

  init() throws {
    scratch = try ScratchFolder()
    bundle = URL(fileURLWithPath: scratch.file("App.app"), isDirectory: true)
    try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
    store = AttachmentStore(
      folder: URL(fileURLWithPath: scratch.file("store")), bundle: bundle)
  }

  private func attachment(
    _ file: String, megabytes: Int = 0, bytes: Int = 1
  ) throws -> UNNotificationAttachment {
    let place = URL(fileURLWithPath: scratch.file(file))
    _ = FileManager.default.createFile(atPath: place.path, contents: nil)
    let handle = try FileHandle(forWritingTo: place)
    try handle.truncate(atOffset: UInt64(megabytes * 1_048_576 + bytes))
    return try UNNotificationAttachment(identifier: file, url: place)
  }

  private func code(_ attachments: UNNotificationAttachment...) -> UNError.Code? {
    do {
      _ = try store.add(attachments)
      return nil
    } catch { return (error as? UNError)?.code }
  }

  @Test
  func `A file of the app's is moved into the store, one of its bundle is copied`() throws {
    let own = try attachment("photo.png")
    let bundled = try attachment("App.app/logo.png")
    let stored = try store.add([own, bundled])
    #expect(stored.map(\.identifier) == ["photo.png", "App.app/logo.png"])
    #expect(stored.allSatisfy { $0.url.path.hasPrefix(store.folder.path + "/") })
    #expect(stored.allSatisfy { FileManager.default.isReadableFile(atPath: $0.url.path) })
    #expect(stored.allSatisfy { $0.url.pathExtension == "png" && $0.type == "public.png" })
    #expect(!FileManager.default.fileExists(atPath: own.url.path))
    #expect(FileManager.default.fileExists(atPath: bundled.url.path))
    // An attachment that the agent returned is already in the store.
    #expect(try store.add(stored).map(\.url) == stored.map(\.url))
    try FileManager.default.removeItem(at: stored[0].url)
    #expect(code(stored[0]) == .attachmentNotInDataStore)
  }

  @Test
  func `Each type has its size, and one bad file leaves the others where they are`() throws {
    #expect(code(try attachment("a.wav", megabytes: 5, bytes: 0)) == nil)
    #expect(code(try attachment("b.wav", megabytes: 5)) == .attachmentInvalidFileSize)
    #expect(code(try attachment("a.jpg", megabytes: 10, bytes: 0)) == nil)
    #expect(code(try attachment("a.mp4", megabytes: 50, bytes: 0)) == nil)
    #expect(code(try attachment("b.mp4", megabytes: 50)) == .attachmentInvalidFileSize)
    #expect(code(try attachment("empty.png", bytes: 0)) == .attachmentCorrupt)
    let good = try attachment("good.gif")
    #expect(code(good, try attachment("b.jpg", megabytes: 10)) == .attachmentInvalidFileSize)
    #expect(FileManager.default.fileExists(atPath: good.url.path))
    try FileManager.default.removeItem(at: good.url)
    #expect(code(good) == .attachmentInvalidURL)
  }

  @Test
  func `A store that cannot be written says so, and the file stays`() throws {
    _ = FileManager.default.createFile(atPath: store.folder.path, contents: Data([1]))
    let picture = try attachment("photo.png")
    #expect(code(picture) == .attachmentMoveIntoDataStoreFailed)
    #expect(FileManager.default.fileExists(atPath: picture.url.path))
  }
}
