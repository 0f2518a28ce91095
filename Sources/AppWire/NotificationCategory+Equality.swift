internal import BelfryWire

// These types compare strings from apps by their bytes. The synthesized members would first normalize each string as
// Unicode, in time quadratic in the number of combining marks.

extension NotificationAction.TextInput {
  /// Returns true if both titles and both placeholders have the same bytes.
  public static func == (one: Self, other: Self) -> Bool {
    one.buttonTitle.hasSameBytes(as: other.buttonTitle)
      && one.placeholder.hasSameBytes(as: other.placeholder)
  }

  /// Hashes the bytes of both strings.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(UTF8Text(buttonTitle))
    hasher.combine(UTF8Text(placeholder))
  }
}

extension NotificationAction {
  /// Returns true if all properties are equal; strings are compared by their bytes.
  public static func == (one: Self, other: Self) -> Bool {
    one.id.hasSameBytes(as: other.id) && one.title == other.title && one.options == other.options
      && one.icon.map { Array($0.utf8) } == other.icon.map { Array($0.utf8) }
      && one.textInput == other.textInput
  }

  /// Hashes the bytes of the identifier.
  public func hash(into hasher: inout Hasher) { hasher.combine(UTF8Text(id)) }
}

extension NotificationCategory {
  /// Returns true if all properties are equal; strings are compared by their bytes.
  public static func == (one: Self, other: Self) -> Bool {
    one.id.hasSameBytes(as: other.id) && one.actions == other.actions
      && one.minimalActions == other.minimalActions && one.options == other.options
      && one.intents.elementsEqual(other.intents) { $0.hasSameBytes(as: $1) }
      && one.hiddenPreviewsPlaceholder == other.hiddenPreviewsPlaceholder
      && one.summaryFormat.hasSameBytes(as: other.summaryFormat)
  }

  /// Hashes the bytes of the identifier.
  public func hash(into hasher: inout Hasher) { hasher.combine(UTF8Text(id)) }
}
