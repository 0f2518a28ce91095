import AppWire
import Glibc

/// A check of attachment files when their notification is added.
///
/// The check is needed because apps in other languages have no client module that checks the files (client-api 3.49).
enum AttachmentCheck {
  /// Returns the reason that the attachments cannot be accepted, or nil if all can be accepted.
  static func refusal(_ attachments: [NotificationAttachment]) -> AppLinkFailure? {
    for attachment in attachments {
      if let refusal = attachment.refusal(bytes: bytes(attachment.path)) { return refusal }
    }
    return nil
  }

  /// Returns the size of a readable regular file; nil for anything else.
  private static func bytes(_ path: String) -> Int64? {
    var status = stat()
    guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      unsafe access(path, R_OK) == 0
    else { return nil }
    return Int64(status.st_size)
  }
}
