/// Variants of the waiting methods for use in expectations. After a timeout, they return nil or `.null` instead of
/// throwing an error, so that the expectation fails and the test continues.
extension RunningProgram {
  /// Waits for the next line that is not JSON and has this prefix.
  ///
  /// Returns nil after a timeout, and prints the reason.
  public func nextText(
    _ beginning: String, within limit: Duration = TestTimeout.standard
  ) async -> String? {
    do {
      return try await text(beginning, within: limit)
    } catch {
      print("\(error)")
      return nil
    }
  }

  /// Waits for the next line that has the event `name` and satisfies `matches`.
  ///
  /// Returns `.null` after a timeout, and prints the reason.
  public func nextEvent(
    _ name: String, within limit: Duration = TestTimeout.standard,
    where matches: @escaping @Sendable (JSONLine) -> Bool = { _ in true }
  ) async -> JSONLine {
    do {
      return try await event(name, within: limit, where: matches)
    } catch {
      print("\(error)")
      return .null
    }
  }
}
