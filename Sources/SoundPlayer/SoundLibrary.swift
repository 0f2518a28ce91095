import CSndFile

/// A writer of sound files that uses libsndfile.
enum SoundLibrary {
  /// Writes interleaved 16-bit samples; returns false if the file cannot be written.
  static func write(_ samples: [Int16], as format: SoundFormat, to path: String) -> Bool {
    guard let code = code(of: format) else { return false }
    assert(samples.count % format.channels == 0, "every channel has the same number of samples")
    var information = SF_INFO()
    information.format = code
    information.channels = Int32(format.channels)
    information.samplerate = Int32(format.rate)
    guard let file = unsafe sf_open(path, Int32(SFM_WRITE), &information) else { return false }
    let frames = Int64(samples.count / format.channels)
    let written = unsafe samples.withUnsafeBufferPointer {
      unsafe sf_writef_short(file, $0.baseAddress, frames)
    }
    return unsafe sf_close(file) == 0 && written == frames
  }

  private static func code(of format: SoundFormat) -> Int32? {
    let container: Int
    switch format.container {
    case .aiff: container = Int(SF_FORMAT_AIFF)
    case .wav: container = Int(SF_FORMAT_WAV)
    case .caf: container = Int(SF_FORMAT_CAF)
    case .other: return nil
    }
    switch format.encoding {
    case .linearPCM: return Int32(container | Int(SF_FORMAT_PCM_16))
    case .uLaw: return Int32(container | Int(SF_FORMAT_ULAW))
    case .aLaw: return Int32(container | Int(SF_FORMAT_ALAW))
    case .ima4, .other: return nil
    }
  }
}
