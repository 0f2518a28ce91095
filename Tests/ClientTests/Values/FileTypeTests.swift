import MobileCoreServices
import Testing
import UniformTypeIdentifiers
import UserNotifications

/// Tests of the uniform types that attachments can have.
@Suite struct FileTypeTests {
  @Test func `A type is found by its identifier, extension and MIME type`() {
    #expect(UTType("public.png") == .png)
    #expect(UTType("no.such.type") == nil)
    #expect(UTType(filenameExtension: "JPG") == .jpeg)
    #expect(UTType(filenameExtension: "jpg", conformingTo: .audio) == nil)
    #expect(UTType(mimeType: "video/mp4")?.preferredFilenameExtension == "mp4")
    #expect(UTType.gif.preferredMIMEType == "image/gif")
    #expect(UTType(exportedAs: "org.example.a").identifier == "org.example.a")
  }

  @Test func `A type conforms to its parents and their parents`() {
    #expect(UTType.png.conforms(to: .image) && UTType.png.conforms(to: .data))
    #expect(!UTType.png.conforms(to: .audio))
    #expect(UTType.mpeg2Video.isSubtype(of: .movie) && UTType.movie.isSupertype(of: .mpeg2Video))
    #expect(UTType.mp3.supertypes.contains(.audiovisualContent))
  }

  @Test func `The hint of an attachment's type is one of these, by either name`() throws {
    #expect(kUTTypePNG as String == UTType.png.identifier)
    let tag = UTTypeCreatePreferredIdentifierForTag(
      kUTTagClassFilenameExtension, "mp3" as CFString, nil)
    #expect(tag?.takeRetainedValue() == kUTTypeMP3)
    #expect(UTTypeConformsTo(kUTTypeJPEG, kUTTypeImage))
    #expect(
      UTTypeCopyPreferredTagWithClass(kUTTypeGIF, kUTTagClassMIMEType)?.takeRetainedValue()
        == "image/gif")
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try Data([1]).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let attachment = try UNNotificationAttachment(
      identifier: "a", url: file,
      options: [UNNotificationAttachmentOptionsTypeHintKey: UTType.jpeg.identifier])
    #expect(attachment.type == "public.jpeg")
  }
}
