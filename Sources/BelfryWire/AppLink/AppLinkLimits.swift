extension WireLimits {
  /// The maximum size of a JSON document, in bytes; frames of the app link contain the longest documents.
  public static let jsonBytesMax = 16 << 20
  /// Depth of nested arrays and objects, so that recursion stays within a small thread's stack.
  public static let jsonDepthMax = 64

  /// Bytes of a frame that an app sends: enough for a notification with a few kilobytes of custom data.
  public static let appFrameBytesMaxFromApp = 1 << 20
  /// Bytes of a frame that the agent sends: enough for a list of all of an app's pending notifications.
  public static let appFrameBytesMaxFromAgent = 16 << 20
  /// Bytes of an app's ID; D-Bus has the same limit for its names.
  public static let appIDBytesMax = 255
  /// Bytes of the identifier of a notification, category, action or region.
  public static let identifierBytesMax = 1024
  /// Bytes of a background task's identifier, which is part of the key of the stored request.
  public static let backgroundTaskIDBytesMax = 255
  /// Bytes of the name of a time zone, a calendar or a type, or of a beacon's UUID.
  public static let nameBytesMax = 255
  /// Preferred languages of an app or a device: more than Apple's settings list.
  public static let languagesMax = 100
  /// Bytes of a file path, as on Linux (`PATH_MAX`).
  public static let pathBytesMax = 4096
  /// Actions of one category; Apple shows at most ten.
  public static let actionsPerCategoryMax = 16
  /// Labels and images that a content extension shows: more than fit into a window.
  public static let drawingItemsMax = 64
  /// Attachments of one notification: far more than any presenter shows.
  public static let attachmentsPerNotificationMax = 16
}
