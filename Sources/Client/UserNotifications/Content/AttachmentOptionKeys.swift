// swift-format-ignore: AlwaysUseLowerCamelCase
/// The attachment's type as a uniform type identifier, where the file name does not tell it.
public let UNNotificationAttachmentOptionsTypeHintKey: String =
  "UNNotificationAttachmentOptionsTypeHintKey"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Whether the notification shows no small picture of the attachment: a Boolean number.
public let UNNotificationAttachmentOptionsThumbnailHiddenKey: String =
  "UNNotificationAttachmentOptionsThumbnailHiddenKey"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The part of the picture to show, as a rectangle within the unit square.
public let UNNotificationAttachmentOptionsThumbnailClippingRectKey: String =
  "UNNotificationAttachmentOptionsThumbnailClippingRectKey"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The frame of a film or animation to show: a number, or seconds.
public let UNNotificationAttachmentOptionsThumbnailTimeKey: String =
  "UNNotificationAttachmentOptionsThumbnailTimeKey"
