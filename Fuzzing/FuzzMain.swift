import Glibc
import TestSupport

/// The target for libFuzzer, specified by `BELFRY_FUZZ`.
private let target: FuzzTarget = {
  let name = unsafe getenv("BELFRY_FUZZ").map { unsafe String(cString: $0) } ?? ""
  guard let target = FuzzTarget(rawValue: name) else {
    let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: ", ")
    print("belfry-fuzz: invalid target BELFRY_FUZZ='\(name)': expected one of \(names)")
    exit(2)
  }
  return target
}()

/// Runs the target on one input from libFuzzer.
///
/// Returns 0, so that libFuzzer keeps the input if it reaches new code.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  TimeBound.check(bytes: count) { target.run(input) }
  return 0
}
