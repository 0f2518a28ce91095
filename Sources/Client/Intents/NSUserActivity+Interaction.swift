public import UserNotifications

extension NSUserActivity {
  /// The interaction that the activity continues, such as a call that the user started from the list of recent calls.
  ///
  /// The property is nil unless the app sets it, because nothing on this system starts such an interaction.
  public var interaction: INInteraction? {
    get { attachedInteraction as? INInteraction }
    set { attachedInteraction = newValue }
  }
}
