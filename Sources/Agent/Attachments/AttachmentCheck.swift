import BelfryWire
import Glibc

/// Looks at the files of attachments when their notification is added: apps of other languages have no client
/// module that does (client-api 3.49).
enum AttachmentCheck {
  /// Why the attachments cannot be carried; nil when all can.
  static func refusal(_ attachments: [NotificationAttachment]) -> AppLinkFailure? {
    for attachment in attachments {
      if let refusal = attachment.refusal(bytes: bytes(attachment.path)) { return refusal }
    }
    return nil
  }

  /// The size of a file that can be read; nil for anything else.
  private static func bytes(_ path: String) -> Int64? {
    var status = stat()
    guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      unsafe access(path, R_OK) == 0
    else { return nil }
    return Int64(status.st_size)
  }
}
