extension NSResponder {
  /// Shows an error and waits until the user has seen it; nothing recovers from it: false.
  @discardableResult
  public func presentError(_ error: any Error) -> Bool {
    NSAlert(error: error).runModal()
    return false
  }
}
