/// Checks the sound file readers with one input from libFuzzer.
///
/// Returns 0, so that libFuzzer keeps the input if it reaches new code.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  TimeBound.check(bytes: count) { SoundFuzzing.run(input) }
  return 0
}
