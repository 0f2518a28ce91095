import BelfryClient
import Foundation

/// The folder of attachments' files, from the moment at which their notification is added.
///
/// The folder is `belfry/attachments/APP` in the user's data folder (`XDG_DATA_HOME`), where the agent finds
/// the files even after the app has removed its own.
package struct AttachmentStore: Sendable {
  /// The folder of the app's files.
  let folder: URL
  /// The app's own folder, whose files are copied and stay.
  let bundle: URL

  init(folder: URL, bundle: URL) {
    self.folder = folder
    self.bundle = bundle
  }

  /// The store of this app.
  package static let shared: AttachmentStore = {
    let data =
      ProcessInfo.processInfo.environment["XDG_DATA_HOME"]
      .flatMap { $0.hasPrefix("/") ? URL(fileURLWithPath: $0, isDirectory: true) : nil }
      ?? FileManager.default.homeDirectoryForCurrentUser
      .appendingPathComponent(".local/share", isDirectory: true)
    let name = (AppIdentity.current.appID ?? ProcessInfo.processInfo.processName)
      .map { $0 == "/" || $0 == "\0" ? "_" : $0 }
    return AttachmentStore(
      folder: data.appendingPathComponent("belfry/attachments/_" + String(name).withoutLeadingDots),
      bundle: Bundle.main.bundleURL)
  }()

  /// Stores the attachments' files: those of the app's bundle are copied, others are moved.
  ///
  /// - Returns: the attachments with their files in the store.
  /// - Throws: `UNError` with Apple's code; every file is checked before the first is moved.
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

  /// Writes a picture that a content extension shows.
  ///
  /// - Returns: the path of its file, or nil where the disk does not take it.
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
  /// The text without leading dots, which would name another folder.
  fileprivate var withoutLeadingDots: String { String(drop { $0 == "." }) }
}
