/// What an expectation compares: where nothing comes in time, the expectation fails, and no error ends the test before
/// it.
extension RunningProgram {
  /// Waits for the next line that is no JSON and has this beginning; nil where none comes, and the reason is printed.
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

  /// Waits for the next line whose `event` is `name` and that `matches`; `null` where none comes, and the reason is
  /// printed.
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
