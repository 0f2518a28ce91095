public import UserNotifications

extension NSUserActivity {
  /// The interaction that the activity continues, such as a call that the user started from a list of recent ones;
  /// nil unless the app sets it, since nothing on this system starts one.
  public var interaction: INInteraction? {
    get { attachedInteraction as? INInteraction }
    set { attachedInteraction = newValue }
  }
}
