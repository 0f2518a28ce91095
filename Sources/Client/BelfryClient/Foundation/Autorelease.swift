/// Runs the body; there are no autoreleased objects to let go on this system.
@inlinable
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result {
  try body()
}
