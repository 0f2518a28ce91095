/// A key for the pages on a terminal.
enum PageKey: Hashable {
  case up, down, left, right, enter, back, quit
  /// Clears a notification.
  case clear
}
