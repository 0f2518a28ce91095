extension UNMutableNotificationContent {
  /// Does nothing: the keys that apps set this way are Apple's own.
  ///
  /// For `shouldAlwaysAlertWhileAppIsForeground`, answer
  /// `userNotificationCenter(_:willPresent:withCompletionHandler:)`.
  public func setValue(_ value: Any?, forKey key: String) {}

  /// Does nothing, as `setValue(_:forKey:)`.
  public func setValue(_ value: Any?, forKeyPath keyPath: String) {}
}
