/// Runs the body.
///
/// There are no autoreleased objects to release on this system.
@inlinable
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result {
  try body()
}
