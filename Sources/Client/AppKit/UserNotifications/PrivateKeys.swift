extension NSUserNotification {
  /// Does nothing.
  ///
  /// Apps use this method to set keys that are private to Apple. Such keys are not needed here: for example,
  /// `_showsButtons` has no purpose because this system always shows the buttons of a notification that has actions.
  public func setValue(_ value: Any?, forKey key: String) {}
}
