// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key for the attachment's uniform type identifier, used if the file name does not determine the type.
public let UNNotificationAttachmentOptionsTypeHintKey: String =
  "UNNotificationAttachmentOptionsTypeHintKey"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key for a Boolean number that is true if the notification shows no thumbnail of the attachment.
public let UNNotificationAttachmentOptionsThumbnailHiddenKey: String =
  "UNNotificationAttachmentOptionsThumbnailHiddenKey"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key for the part of the image to show as a thumbnail, as a rectangle within the unit square.
public let UNNotificationAttachmentOptionsThumbnailClippingRectKey: String =
  "UNNotificationAttachmentOptionsThumbnailClippingRectKey"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key for the frame of a movie or animation to show as a thumbnail: a frame number, or a time in seconds.
public let UNNotificationAttachmentOptionsThumbnailTimeKey: String =
  "UNNotificationAttachmentOptionsThumbnailTimeKey"
