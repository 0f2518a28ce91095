extension NSResponder {
  /// Shows an error and waits until the user dismisses it.
  ///
  /// Returns false, because no recovery is attempted.
  @discardableResult
  public func presentError(_ error: any Error) -> Bool {
    NSAlert(error: error).runModal()
    return false
  }
}
