extension WireLimits {
  /// Bytes of one JSON text: the largest frame of the app link is one.
  public static let jsonBytesMax = 16 << 20
  /// Arrays and objects inside each other; recursion stays within a small thread's stack.
  public static let jsonDepthMax = 64

  /// Bytes of a frame that an app sends: a notification with a few kilobytes of its own data.
  public static let appFrameBytesMaxFromApp = 1 << 20
  /// Bytes of a frame that the agent sends: a list of all that an app has pending.
  public static let appFrameBytesMaxFromAgent = 16 << 20
  /// Bytes of an app's id, as D-Bus bounds its names.
  public static let appIDBytesMax = 255
  /// Bytes of a notification's, category's or action's identifier.
  public static let identifierBytesMax = 1024
  /// Bytes of a background task's identifier: it is part of the key that the request is kept under.
  public static let backgroundTaskIDBytesMax = 255
  /// Bytes of the name of a time zone, a calendar, a type or a beacon's UUID.
  public static let nameBytesMax = 255
  /// Bytes of a file's path, as Linux bounds them.
  public static let pathBytesMax = 4096
  /// Actions of one category; Apple shows at most ten.
  public static let actionsPerCategoryMax = 16
  /// Texts and pictures that a content extension shows: more than a window has room for.
  public static let drawingItemsMax = 64
  /// Attachments of one notification: far more than any presenter shows.
  public static let attachmentsPerNotificationMax = 16
}
