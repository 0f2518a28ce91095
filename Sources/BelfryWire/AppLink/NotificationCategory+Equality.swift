// Texts from apps are compared by their bytes. The synthesized members would normalize them as Unicode first, which
// takes time quadratic in the number of combining marks.

extension NotificationAction.TextInput {
  /// Returns true if both texts have the same bytes.
  public static func == (one: Self, other: Self) -> Bool {
    one.buttonTitle.hasSameBytes(as: other.buttonTitle)
      && one.placeholder.hasSameBytes(as: other.placeholder)
  }

  /// Feeds the bytes of both texts into a hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(UTF8Text(buttonTitle))
    hasher.combine(UTF8Text(placeholder))
  }
}

extension NotificationAction {
  /// Returns true if all properties are equal, texts by their bytes.
  public static func == (one: Self, other: Self) -> Bool {
    one.id.hasSameBytes(as: other.id) && one.title == other.title && one.options == other.options
      && one.icon.map { Array($0.utf8) } == other.icon.map { Array($0.utf8) }
      && one.textInput == other.textInput
  }

  /// Feeds the identifier into a hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(UTF8Text(id)) }
}

extension NotificationCategory {
  /// Returns true if all properties are equal, texts by their bytes.
  public static func == (one: Self, other: Self) -> Bool {
    one.id.hasSameBytes(as: other.id) && one.actions == other.actions
      && one.minimalActions == other.minimalActions && one.options == other.options
      && one.intents.elementsEqual(other.intents) { $0.hasSameBytes(as: $1) }
      && one.hiddenPreviewsPlaceholder == other.hiddenPreviewsPlaceholder
      && one.summaryFormat.hasSameBytes(as: other.summaryFormat)
  }

  /// Feeds the identifier into a hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(UTF8Text(id)) }
}
