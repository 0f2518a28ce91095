extension UNMutableNotificationContent {
  /// Does nothing.
  ///
  /// Some apps use this method to set keys that are private to Apple. Instead of setting
  /// `shouldAlwaysAlertWhileAppIsForeground`, implement `userNotificationCenter(_:willPresent:withCompletionHandler:)`.
  public func setValue(_ value: Any?, forKey key: String) {}

  /// Does nothing, like `setValue(_:forKey:)`.
  public func setValue(_ value: Any?, forKeyPath keyPath: String) {}
}
