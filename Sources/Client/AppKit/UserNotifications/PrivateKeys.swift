extension NSUserNotification {
  /// Does nothing: the keys that apps set this way are Apple's own.
  ///
  /// For `_showsButtons`: on this system a notification with actions shows them always.
  public func setValue(_ value: Any?, forKey key: String) {}
}
