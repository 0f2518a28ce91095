/// Called by libFuzzer with each input.
///
/// Returns 0: libFuzzer keeps the input if it reaches new code.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  TimeBound.check(bytes: count) { SoundFuzzing.run(input) }
  return 0
}
