import Glibc

/// An output for samples.
///
/// The libraries of PulseAudio (also used for PipeWire) and ALSA are loaded when needed, so that this program can start
/// without them.
protocol SoundOutput {
  /// Plays samples; returns false if the output has failed.
  func write(_ samples: [Int16]) -> Bool
  /// Waits until all samples have been played.
  func finish()
}

/// A dynamically loaded library whose functions are looked up by name.
@safe private struct Library {
  private let handle: UnsafeMutableRawPointer

  init?(_ name: String) {
    guard let handle = unsafe dlopen(name, RTLD_NOW) else { return nil }
    unsafe self.handle = handle
  }

  /// Returns the function with this name.
  ///
  /// `shape` must be the function's signature according to the library's documentation.
  func function<Shape>(_ name: String, _ shape: Shape.Type) -> Shape? {
    guard let address = unsafe dlsym(handle, name) else { return nil }
    return unsafe unsafeBitCast(address, to: shape)
  }
}

/// An output that uses PulseAudio's simple API.
@safe struct PulseOutput: SoundOutput {
  /// The layout of `pa_sample_spec`.
  private struct SampleSpecification {
    /// The value of `PA_SAMPLE_S16LE`.
    var format: Int32 = 3
    var rate: UInt32
    var channels: UInt8
  }

  private typealias New =
    @convention(c) (
      UnsafePointer<CChar>?, UnsafePointer<CChar>?, Int32, UnsafePointer<CChar>?,
      UnsafePointer<CChar>?, UnsafeRawPointer?, UnsafeRawPointer?, UnsafeRawPointer?,
      UnsafeMutablePointer<Int32>?
    ) -> OpaquePointer?
  private typealias Write =
    @convention(c) (OpaquePointer, UnsafeRawPointer?, Int, UnsafeMutablePointer<Int32>?) -> Int32
  private typealias Drain = @convention(c) (OpaquePointer, UnsafeMutablePointer<Int32>?) -> Int32

  private let stream: OpaquePointer
  private let writeFunction: Write
  private let drainFunction: Drain

  /// Connects to a sound server, or returns nil if no server responds.
  init?(channels: Int, rate: Int) {
    guard let library = Library("libpulse-simple.so.0"),
      let new = unsafe library.function("pa_simple_new", New.self),
      let write = unsafe library.function("pa_simple_write", Write.self),
      let drain = unsafe library.function("pa_simple_drain", Drain.self)
    else { return nil }
    var specification = SampleSpecification(
      rate: UInt32(rate), channels: UInt8(channels))
    let playback: Int32 = 1
    guard
      let stream = unsafe new(
        nil, "Belfry", playback, nil, "notification", &specification, nil, nil, nil)
    else { return nil }
    unsafe self.stream = stream
    unsafe writeFunction = write
    unsafe drainFunction = drain
  }

  func write(_ samples: [Int16]) -> Bool {
    unsafe samples.withUnsafeBytes { bytes in
      unsafe writeFunction(stream, bytes.baseAddress, bytes.count, nil)
    } >= 0
  }

  func finish() { _ = unsafe drainFunction(stream, nil) }
}

/// An output that uses ALSA's default device.
@safe struct ALSAOutput: SoundOutput {
  private typealias Open =
    @convention(c) (
      UnsafeMutablePointer<OpaquePointer?>, UnsafePointer<CChar>, Int32, Int32
    ) -> Int32
  private typealias SetParameters =
    @convention(c) (OpaquePointer, Int32, Int32, UInt32, UInt32, Int32, UInt32) -> Int32
  private typealias Write = @convention(c) (OpaquePointer, UnsafeRawPointer?, UInt) -> Int
  private typealias Recover = @convention(c) (OpaquePointer, Int32, Int32) -> Int32
  private typealias Drain = @convention(c) (OpaquePointer) -> Int32

  private let device: OpaquePointer
  private let channels: Int
  private let writeFunction: Write
  private let recoverFunction: Recover
  private let drainFunction: Drain
  private let closeFunction: Drain

  /// Opens the device, or returns nil if no device is available.
  init?(channels: Int, rate: Int) {
    guard let library = Library("libasound.so.2"),
      let open = unsafe library.function("snd_pcm_open", Open.self),
      let set = unsafe library.function("snd_pcm_set_params", SetParameters.self),
      let write = unsafe library.function("snd_pcm_writei", Write.self),
      let recover = unsafe library.function("snd_pcm_recover", Recover.self),
      let drain = unsafe library.function("snd_pcm_drain", Drain.self),
      let close = unsafe library.function("snd_pcm_close", Drain.self)
    else { return nil }
    var device: OpaquePointer?
    let playback: Int32 = 0
    guard unsafe open(&device, "default", playback, 0) >= 0, let device = unsafe device else {
      return nil
    }
    let signed16LittleEndian: Int32 = 2
    let interleaved: Int32 = 3
    let latencyMicroseconds: UInt32 = 500_000
    guard
      unsafe set(
        device, signed16LittleEndian, interleaved, UInt32(channels), UInt32(rate), 1,
        latencyMicroseconds) >= 0
    else {
      _ = unsafe close(device)
      return nil
    }
    unsafe self.device = device
    self.channels = channels
    unsafe writeFunction = write
    unsafe recoverFunction = recover
    unsafe drainFunction = drain
    unsafe closeFunction = close
  }

  func write(_ samples: [Int16]) -> Bool {
    var rest = samples[...]
    while !rest.isEmpty {
      let frames = rest.count / channels
      let written = unsafe rest.withUnsafeBytes { bytes in
        unsafe writeFunction(device, bytes.baseAddress, UInt(frames))
      }
      if written < 0 {
        // The device ran out of samples or the machine was suspended; playback can continue.
        guard unsafe recoverFunction(device, Int32(truncatingIfNeeded: written), 1) >= 0 else {
          return false
        }
        continue
      }
      rest = rest.dropFirst(min(rest.count, written * channels))
    }
    return true
  }

  func finish() {
    _ = unsafe drainFunction(device)
    _ = unsafe closeFunction(device)
  }
}
