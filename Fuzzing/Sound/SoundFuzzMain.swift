/// What libFuzzer calls with each input; 0: keep it if it shows something new.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  TimeBound.check(bytes: count) { SoundFuzzing.run(input) }
  return 0
}
