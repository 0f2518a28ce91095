import AppWire

/// The decision on how the device handles one notification.
package struct Routing: Hashable, Sendable {
  /// An app's state when a notification arrives.
  package enum AppPresence: Hashable, Sendable {
    case foreground, background, notRunning
  }

  /// The reason that nothing is shown, as the JSON presenter prints it.
  package enum Suppression: String, Hashable, Sendable {
    /// The user was never asked, or denied permission.
    case notAuthorized
    /// The app's switches allow no effect.
    case switchedOff
    /// The notification has no alert, sound, or badge.
    case nothingToShow
    /// The app has provisional permission, so the notification is shown only in the list.
    case quiet
    /// The foreground app shows the notification itself (S1-38, S3-32, S4-17).
    case foreground
    /// Do-not-disturb is on.
    case focus
    /// The screen is locked, and the app's notifications are not shown there.
    case locked
  }

  /// The effects of a notification that permission and switches allow.
  struct Effects: Hashable, Sendable {
    var banner = false
    var sound = false
    var badge = false
    var list = false

    /// The effects of presenting a notification again: a banner without a sound or badge.
    static let onlyBanner = Effects(banner: true)
  }

  /// True if the push is delivered to the running app.
  var handsOver = false
  /// True if the app is started to handle the push.
  var launches = false
  /// True if the foreground app is asked for presentation options.
  var asksApp = false
  /// True if the notification is kept until the user decides about the app.
  ///
  /// This applies to older interfaces, which do not require the app to request permission first.
  var awaitsPermission = false
  /// The effects that apply without asking the app.
  var effects = Effects()
  /// The reason that no banner is shown and no sound is played.
  var suppression: Suppression?

  /// Decides how to handle a notification that has arrived.
  ///
  /// `wantsFetch` is true for a push with `content-available`; `isSilent` is true for an app that registered without
  /// types.
  static func decide(
    _ content: NotificationContent, presence: AppPresence, isPush: Bool, wantsFetch: Bool,
    settings: NotificationSettings, isSilent: Bool = false, isLocked: Bool, hasFocus: Bool
  ) -> Routing {
    assert(isPush || !wantsFetch, "only a push requests a fetch")
    var routing = Routing()
    if isPush {
      // A foreground app receives every push, and a background app receives those with content-available (S1-59,
      // S2-20).
      routing.handsOver = presence == .foreground || (presence == .background && wantsFetch)
      routing.launches = presence == .notRunning && wantsFetch
    }
    let isVisible = content.hasAlert || content.sound != nil || content.badge != nil
    if presence == .foreground && isVisible {
      routing.asksApp = true
      return routing
    }
    if settings.status == .notDetermined, content.generation != .userNotification, !isSilent {
      assert(!isPush, "a push does not use an older interface")
      routing.awaitsPermission = true
      return routing
    }
    routing.apply(
      allowed(content, settings: settings), settings: settings, content: content,
      isLocked: isLocked, hasFocus: hasFocus)
    return routing
  }

  /// Decides how to handle a notification after the foreground app has answered (client-api 3.24).
  static func decide(
    _ content: NotificationContent, answer: Set<PresentationOption>,
    settings: NotificationSettings, isLocked: Bool, hasFocus: Bool
  ) -> Routing {
    var effects = allowed(content, settings: settings)
    let shows = answer.contains(.banner) || answer.contains(.alert)
    effects.banner = effects.banner && shows
    effects.list = effects.list && (answer.contains(.list) || answer.contains(.alert))
    effects.sound = effects.sound && answer.contains(.sound)
    effects.badge = effects.badge && answer.contains(.badge)
    var routing = Routing()
    guard !answer.isEmpty else {
      routing.suppression = .foreground
      return routing
    }
    routing.apply(
      effects, settings: settings, content: content, isLocked: isLocked, hasFocus: hasFocus)
    if !effects.banner && !effects.sound && routing.suppression == .switchedOff && !shows {
      routing.suppression = .foreground
    }
    return routing
  }

  /// Returns the effects that permission and switches allow (S0-30, S1-3).
  private static func allowed(_ content: NotificationContent, settings: NotificationSettings)
    -> Effects
  {
    Effects(
      banner: content.hasAlert && settings.alert == .enabled && settings.alertStyle != .none,
      sound: content.sound != nil
        && (settings.sound == .enabled
          || (content.sound?.isCritical == true && settings.criticalAlert == .enabled)),
      badge: content.badge != nil && settings.badge == .enabled,
      list: content.hasAlert && settings.center == .enabled && settings.alert == .enabled)
  }

  private mutating func apply(
    _ allowed: Effects, settings: NotificationSettings, content: NotificationContent,
    isLocked: Bool, hasFocus: Bool
  ) {
    apply(allowed, settings: settings, content: content, hasFocus: hasFocus)
    if isLocked, effects.banner, settings.lockScreen == .disabled {
      effects.banner = false
      suppression = .locked
    }
    assert(
      settings.status.allows || effects == Effects(), "nothing is shown without permission")
    assert(
      effects.banner || effects.sound || effects.badge || suppression != nil,
      "a notification without effects has a suppression reason")
  }

  private mutating func apply(
    _ allowed: Effects, settings: NotificationSettings, content: NotificationContent,
    hasFocus: Bool
  ) {
    effects = allowed
    guard settings.status.allows else {
      effects = Effects()
      suppression = isEmpty(content) ? .nothingToShow : .notAuthorized
      return
    }
    if settings.status == .provisional {
      effects.banner = false
      effects.sound = false
      suppression = .quiet
      return
    }
    let passesFocus =
      (content.interruptionLevel == .timeSensitive && settings.timeSensitive == .enabled)
      || (content.interruptionLevel == .critical && settings.criticalAlert == .enabled)
    if hasFocus && !passesFocus && (effects.banner || effects.sound) {
      effects.banner = false
      effects.sound = false
      suppression = .focus
      return
    }
    if content.interruptionLevel == .passive { effects.sound = false }
    guard !effects.banner && !effects.sound else { return }
    // A notification with only a badge is not a suppressed alert.
    if effects.badge && !content.hasAlert && content.sound == nil { return }
    suppression = isEmpty(content) ? .nothingToShow : .switchedOff
  }

  private func isEmpty(_ content: NotificationContent) -> Bool {
    !content.hasAlert && content.sound == nil && content.badge == nil
  }
}
