/// The types of files that a notification can carry, identified by file name or by uniform type identifier.
public enum AttachmentType {
  /// The uniform type identifiers, with lowercase filename extensions as keys.
  private static let identifiers: [String: String] = [
    "aif": "public.aiff-audio", "aiff": "public.aiff-audio", "aifc": "public.aifc-audio",
    "wav": "com.microsoft.waveform-audio", "mp3": "public.mp3", "m4a": "public.mpeg-4-audio",
    "jpg": "public.jpeg", "jpeg": "public.jpeg", "gif": "com.compuserve.gif",
    "png": "public.png", "mpg": "public.mpeg", "mpeg": "public.mpeg", "m2v": "public.mpeg-2-video",
    "mp4": "public.mpeg-4", "m4v": "com.apple.m4v-video", "avi": "public.avi",
    "mov": "com.apple.quicktime-movie",
  ]

  /// Returns the type of a file, derived from its hint or, without a hint, from its filename extension.
  ///
  /// Returns nil if a notification cannot carry the file.
  public static func identifier(hint: String?, pathExtension: String) -> String? {
    guard let hint else { return identifiers[pathExtension.lowercased()] }
    if identifiers.values.contains(hint) { return hint }
    return identifiers[hint.lowercased()]
  }

  private static let sounds: Set = [
    "public.aiff-audio", "public.aifc-audio", "com.microsoft.waveform-audio", "public.mp3",
    "public.mpeg-4-audio",
  ]
  private static let pictures: Set = ["public.jpeg", "com.compuserve.gif", "public.png"]

  /// Returns the maximum size, in bytes, of a file of this type, according to Apple's limits (client-api 3.49).
  public static func bytesMax(_ type: String) -> Int64 {
    let megabytes: Int64 = sounds.contains(type) ? 5 : pictures.contains(type) ? 10 : 50
    return megabytes * 1_048_576
  }
}

extension NotificationAttachment {
  /// Returns the reason that a notification cannot carry the attachment (client-api 3.49), or nil if the notification
  /// can carry it.
  ///
  /// `bytes` is the size of the file, or nil if the file does not exist or cannot be read.
  public func refusal(bytes: Int64?) -> AppLinkFailure? {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let pathExtension = name.contains(".") ? name.split(separator: ".").last.map(String.init) : nil
    guard path.hasPrefix("/"), let bytes else {
      return AppLinkFailure(
        .attachmentInvalidURL, "cannot read attachment \(id): \(path)")
    }
    guard let type = AttachmentType.identifier(hint: type, pathExtension: pathExtension ?? "")
    else {
      return AppLinkFailure(
        .attachmentUnrecognizedType,
        "unsupported attachment type \(name): use audio, an image or a video")
    }
    guard bytes > 0 else {
      return AppLinkFailure(.attachmentCorrupt, "\(name) is empty")
    }
    let most = AttachmentType.bytesMax(type)
    guard bytes <= most else {
      return AppLinkFailure(
        .attachmentInvalidFileSize,
        "\(name) has \(bytes) bytes: the limit for \(type) is \(most)")
    }
    return nil
  }
}
