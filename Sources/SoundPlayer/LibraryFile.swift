import CSndFile

/// A sound file that libsndfile reads.
@safe final class LibraryFile: SoundSource {
  let format: SoundFormat
  private let file: OpaquePointer

  /// Opens the file, or returns nil if libsndfile does not support its format.
  init?(path: String) {
    var information = SF_INFO()
    guard let file = unsafe sf_open(path, Int32(SFM_READ), &information) else { return nil }
    unsafe self.file = file
    format = SoundFormat(
      container: Self.container(information.format), encoding: Self.encoding(information.format),
      channels: Int(information.channels), rate: Int(information.samplerate),
      frames: information.frames)
    // Without this command, floating-point samples would all be read as zero.
    _ = unsafe sf_command(file, Int32(SFC_SET_SCALE_FLOAT_INT_READ), nil, 1)
  }

  deinit { _ = unsafe sf_close(file) }

  func next() -> [Int16] {
    guard (1...Limits.channels).contains(format.channels) else { return [] }
    var samples = [Int16](repeating: 0, count: Limits.framesAtATime * format.channels)
    let frames = unsafe samples.withUnsafeMutableBufferPointer { buffer in
      unsafe sf_readf_short(file, buffer.baseAddress, Int64(Limits.framesAtATime))
    }
    samples.removeLast(samples.count - Int(max(0, frames)) * format.channels)
    return samples
  }

  private static func container(_ format: Int32) -> SoundFormat.Container {
    switch Int(format) & Int(SF_FORMAT_TYPEMASK) {
    case Int(SF_FORMAT_WAV), Int(SF_FORMAT_WAVEX): .wav
    case Int(SF_FORMAT_AIFF): .aiff
    case Int(SF_FORMAT_CAF): .caf
    case Int(SF_FORMAT_OGG): .other("ogg")
    case Int(SF_FORMAT_FLAC): .other("flac")
    case Int(SF_FORMAT_AU): .other("au")
    default: .other("this container")
    }
  }

  private static func encoding(_ format: Int32) -> SoundFormat.Encoding {
    switch Int(format) & Int(SF_FORMAT_SUBMASK) {
    case Int(SF_FORMAT_PCM_S8), Int(SF_FORMAT_PCM_U8), Int(SF_FORMAT_PCM_16),
      Int(SF_FORMAT_PCM_24), Int(SF_FORMAT_PCM_32), Int(SF_FORMAT_FLOAT), Int(SF_FORMAT_DOUBLE):
      .linearPCM
    case Int(SF_FORMAT_IMA_ADPCM): .ima4
    case Int(SF_FORMAT_ULAW): .uLaw
    case Int(SF_FORMAT_ALAW): .aLaw
    case Int(SF_FORMAT_VORBIS): .other("vorbis")
    case Int(SF_FORMAT_MS_ADPCM): .other("msADPCM")
    default: .other("this encoding")
    }
  }
}
