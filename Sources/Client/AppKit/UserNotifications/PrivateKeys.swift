extension NSUserNotification {
  /// Does nothing: apps use this method to set keys that are private to Apple.
  ///
  /// For example, `_showsButtons` is not needed, because this system always shows the buttons of a notification with
  /// actions.
  public func setValue(_ value: Any?, forKey key: String) {}
}
