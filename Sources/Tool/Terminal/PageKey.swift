/// A key that a page in a terminal supports.
enum PageKey: Hashable {
  case up, down, left, right, enter, back, quit
  /// Clears a notification.
  case clear
}
