// These names predate Swift 4.2, but older source files still use them.

extension UNNotificationSound {
  /// Returns the same sound, so that `UNNotificationSound.default()` still compiles.
  @available(iOS, deprecated: 12.0, message: "Leave the parentheses out")
  public func callAsFunction() -> UNNotificationSound { self }

  /// Creates a sound from the name of one of the app's sound files.
  @available(iOS, deprecated: 12.0, message: "Use UNNotificationSoundName")
  @_disfavoredOverload
  public convenience init(named name: String) {
    self.init(named: UNNotificationSoundName(name))
  }
}
