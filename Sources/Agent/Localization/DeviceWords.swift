import Scheduling

/// The agent's own strings, in the first of the device's languages that has a catalog.
public struct DeviceWords: Hashable, Sendable {
  /// The language of the catalog.
  public let language: String

  /// Creates the strings for a device with these languages (BCP 47), in order of preference; English if none of them
  /// has a catalog.
  public init(languages: [String]) {
    language = languages.lazy.compactMap(Self.catalogueLanguage).first ?? Self.fallback
  }

  /// The strings in English; the English catalog has every key.
  public static let english = DeviceWords(languages: [fallback])

  private static let fallback = "en"

  /// Returns the language of the catalog for a user who speaks this language, or nil if no catalog fits.
  private static func catalogueLanguage(_ tag: String) -> String? {
    for name in LanguageFolders.names(tag) {
      if Catalogue.all[name] != nil { return name }
      // The only Portuguese catalog serves Portuguese speakers of every country.
      if name == "pt" { return "pt-BR" }
    }
    return nil
  }

  /// Returns a string without arguments.
  public subscript(key: WordKey) -> String { text(key) }

  /// Returns a string with its arguments inserted.
  public func text(_ key: WordKey, _ arguments: String...) -> String {
    assert(!key.isCount, "\(key) has no plural forms")
    return LocalizedFormat.fill(format(key, form: .other), with: arguments.map(isolated)).text
  }

  /// Returns the string for a number, in the language's plural form.
  public func count(_ key: WordKey, _ number: Int) -> String {
    assert(key.isCount, "\(key) has plural forms")
    let form = PluralRule.form(of: "\(number)", language: language)
    return LocalizedFormat.fill(format(key, form: form), with: ["\(number)"]).text
  }

  /// True if the language is written from right to left.
  public var isRightToLeft: Bool { language == "ar" }

  /// Returns an argument in Unicode isolates, which preserve its own writing direction.
  ///
  /// Otherwise, the name C++ would appear as ++C in Arabic text, and the quotation marks around it would swap places.
  private func isolated(_ argument: String) -> String {
    guard isRightToLeft || argument.unicodeScalars.contains(where: Self.isRightToLeft) else {
      return argument
    }
    return "\u{2068}\(argument)\u{2069}"
  }

  /// Returns true if a letter belongs to a script that is written from right to left.
  private static func isRightToLeft(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF: true
    default: false
    }
  }

  private func format(_ key: WordKey, form: PluralRule.Form) -> String {
    for language in [language, Self.fallback] {
      guard let texts = Catalogue.all[language]?.texts[key] else { continue }
      if let text = texts[form] ?? texts[.other] { return text }
    }
    assertionFailure("the English catalog has no text for \(key)")
    return ""
  }
}

/// The keys of the agent's own strings.
public enum WordKey: String, CaseIterable, Sendable {
  // Buttons.
  case allow, dontAllow, open, view, close, more, send, reply, clear, clearAll, keep, turnOff
  /// The titles of the buttons that confirm and cancel Clear All.
  case clearAllQuestion, cancel
  /// The text that a screen reader announces after a destructive button's title.
  case destructiveHint
  // Questions; the argument is the app's name.
  case askNotifications, askNotificationsBody, askLocation, askLocationAlways
  // Notifications.
  case hiddenPreview, notificationCenter, noNotifications, notificationCount
  /// The mark in the terminal on a notification that arrived a while ago.
  case earlier
  /// An app's badge in the terminal; the argument is the number.
  case badgeNumber
  // The settings page.
  case notifications, notificationsOf, allowNotifications, alerts, sounds, badges, alertStyle
  case showPreviews, onLockScreen, inNotificationCenter, timeSensitive, criticalAlerts, location
  case focus, noAppAsked, notAskedYet, quietly
  case on, off, none, banner, alert, always, whenUnlocked, never, whileInUse
  // The keyboard hints of both pages.
  case listKeys, switchKeys, centerKeys, notificationKeys, replyKeys

  /// True if the string has a form for each of the language's plural categories.
  public var isCount: Bool { self == .notificationCount }
}
