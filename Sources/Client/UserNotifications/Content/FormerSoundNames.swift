// Names before Swift 4.2, which older files use.

extension UNNotificationSound {
  /// Returns the sound itself, so that `UNNotificationSound.default()` goes on working.
  @available(iOS, deprecated: 12.0, message: "Leave the parentheses out")
  public func callAsFunction() -> UNNotificationSound { self }

  /// A sound file of the app, by its plain name.
  @available(iOS, deprecated: 12.0, message: "Use UNNotificationSoundName")
  @_disfavoredOverload
  public convenience init(named name: String) {
    self.init(named: UNNotificationSoundName(name))
  }
}
