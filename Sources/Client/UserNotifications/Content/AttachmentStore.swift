import BelfryClient
import AppWire
import Foundation

/// The directory that contains a notification's attachment files once the notification is added.
///
/// The directory is `belfry/attachments/APP` in the user's data directory (`XDG_DATA_HOME`). The agent finds the files
/// there even after the app has removed its own copies.
package struct AttachmentStore: Sendable {
  /// The directory for the app's attachment files.
  let folder: URL
  /// The app's own bundle, whose files are copied instead of moved.
  let bundle: URL

  init(folder: URL, bundle: URL) {
    self.folder = folder
    self.bundle = bundle
  }

  /// The attachment store of this app.
  package static let shared: AttachmentStore = {
    let name = (AppIdentity.current.appID ?? ProcessInfo.processInfo.processName)
      .map { $0 == "/" || $0 == "\0" ? "_" : $0 }
    return AttachmentStore(
      folder: FileManager.default.userDataFolder.appendingPathComponent(
        "belfry/attachments/_" + String(name).withoutLeadingDots),
      bundle: Bundle.main.bundleURL)
  }()

  /// Stores the files of attachments: files in the app's bundle are copied, and other files are moved.
  ///
  /// - Returns: The attachments with the URLs of their files in the store.
  /// - Throws: `UNError` with the code that Apple's systems use. All files are checked before the first one is moved.
  package func add(
    _ attachments: [UNNotificationAttachment]
  ) throws -> [UNNotificationAttachment] {
    for attachment in attachments { try check(attachment) }
    return try attachments.map(add)
  }

  private func check(_ attachment: UNNotificationAttachment) throws {
    let path = attachment.url.resolvingSymlinksInPath().path
    guard
      let status = try? FileManager.default.attributesOfItem(atPath: path),
      status[.type] as? FileAttributeType == .typeRegular,
      FileManager.default.isReadableFile(atPath: path)
    else {
      throw UNError.because(
        contains(attachment.url) ? .attachmentNotInDataStore : .attachmentInvalidURL)
    }
    let size = (status[.size] as? NSNumber)?.int64Value ?? 0
    guard size > 0 else { throw UNError.because(.attachmentCorrupt) }
    guard size <= AttachmentType.bytesMax(attachment.type) else {
      throw UNError.because(.attachmentInvalidFileSize)
    }
  }

  private func add(_ attachment: UNNotificationAttachment) throws -> UNNotificationAttachment {
    guard !contains(attachment.url) else { return attachment }
    let files = FileManager.default
    let name = UUID().uuidString + "." + attachment.url.pathExtension
    let destination = folder.appendingPathComponent(name)
    do {
      try files.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      let source = attachment.url.resolvingSymlinksInPath()
      if isInside(attachment.url, bundle) || source.path != attachment.url.standardizedFileURL.path
      {
        try files.copyItem(at: source, to: destination)
      } else {
        try files.moveItem(at: source, to: destination)
      }
    } catch {
      throw UNError.because(.attachmentMoveIntoDataStoreFailed, underlying: error)
    }
    return UNNotificationAttachment(
      name: attachment.identifier, url: destination, type: attachment.type,
      options: attachment.options)
  }

  /// Writes an image that a content extension shows.
  ///
  /// - Returns: The path of the file, or nil if it cannot be written.
  package func store(_ bytes: Data) -> String? {
    let file = folder.appendingPathComponent(UUID().uuidString)
    do {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      try bytes.write(to: file)
    } catch { return nil }
    return file.path
  }

  private func contains(_ file: URL) -> Bool { isInside(file, folder) }

  private func isInside(_ file: URL, _ folder: URL) -> Bool {
    file.standardizedFileURL.path.hasPrefix(folder.standardizedFileURL.path + "/")
  }
}

extension String {
  /// The string without leading dots, so that it cannot refer to another directory.
  fileprivate var withoutLeadingDots: String { String(drop { $0 == "." }) }
}
