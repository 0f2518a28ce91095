import Foundation
import TestSupport
import Testing
import UserNotifications

@Suite struct AttachmentTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func file(_ name: String) throws -> URL {
    let file = URL(fileURLWithPath: folder.file(name))
    try Data([1]).write(to: file)
    return file
  }

  @Test
  func `An attachment's type is found by its name, or by a hint; an empty name is made up`() throws
  {
    let picture = try UNNotificationAttachment(identifier: "", url: file("a.JPG"))
    #expect(picture.type == "public.jpeg")
    #expect(!picture.identifier.isEmpty)
    let hinted = try UNNotificationAttachment(
      identifier: "x", url: file("download"),
      options: [UNNotificationAttachmentOptionsTypeHintKey: "public.png"])
    #expect(hinted.type == "public.png")
    #expect(hinted.identifier == "x")
  }

  @Test
  func `A missing file, a folder and an unknown type are errors with Apple's codes`() throws {
    func code(_ url: URL) -> UNError.Code? {
      do {
        _ = try UNNotificationAttachment(identifier: "", url: url)
        return nil
      } catch { return (error as? UNError)?.code }
    }
    #expect(code(URL(fileURLWithPath: "/nonexistent.png")) == .attachmentInvalidURL)
    #expect(code(FileManager.default.temporaryDirectory) == .attachmentInvalidURL)
    #expect(code(try #require(URL(string: "https://example.org/a.png"))) == .attachmentInvalidURL)
    #expect(code(try file("a.xyz")) == .attachmentUnrecognizedType)
  }
}
