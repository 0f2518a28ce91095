/// A key of the pages on a terminal.
enum PageKey: Hashable {
  case up, down, left, right, enter, back, quit
  /// Puts a notification away.
  case clear
}
