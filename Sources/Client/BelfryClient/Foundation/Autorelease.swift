/// Runs the closure and returns its result.
///
/// This system has no autoreleased objects to release.
@inlinable
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result {
  try body()
}
