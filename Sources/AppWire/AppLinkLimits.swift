public import BelfryWire

extension WireLimits {

  /// The maximum size, in bytes, of a frame that an app sends: enough for a notification with a few kilobytes of custom
  /// data.
  public static let appFrameBytesMaxFromApp = 1 << 20
  /// The maximum size, in bytes, of a frame that the agent sends: enough for a list of all of an app's pending
  /// notifications.
  public static let appFrameBytesMaxFromAgent = 16 << 20
  /// The maximum length, in bytes, of an app's ID; D-Bus has the same limit for its names.
  public static let appIDBytesMax = 255
  /// The maximum length, in bytes, of the identifier of a notification, category, action, or region.
  public static let identifierBytesMax = 1024
  /// The maximum length, in bytes, of a background task's identifier, which is part of the key of the stored request.
  public static let backgroundTaskIDBytesMax = 255
  /// The maximum length, in bytes, of the name of a time zone, calendar, or type, or of a beacon's UUID.
  public static let nameBytesMax = 255
  /// The maximum number of preferred languages of an app or a device: more languages than Apple's settings offer.
  public static let languagesMax = 100
  /// The maximum length, in bytes, of a file path, as on Linux (`PATH_MAX`).
  public static let pathBytesMax = 4096
  /// The maximum number of actions in one category; Apple shows at most ten.
  public static let actionsPerCategoryMax = 16
  /// The maximum number of labels and images that a content extension shows: more than fit into a window.
  public static let drawingItemsMax = 64
  /// The maximum number of attachments of one notification: far more than any presenter shows.
  public static let attachmentsPerNotificationMax = 16
}
