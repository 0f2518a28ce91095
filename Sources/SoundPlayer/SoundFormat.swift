/// The format and length of a sound file.
struct SoundFormat: Hashable {
  /// The container of a sound file; `belfry sound` uses the same names.
  enum Container: Hashable {
    case aiff, wav, caf
    /// Any other container, by name; an alert sound cannot use it (S0-3).
    case other(String)

    var name: String {
      switch self {
      case .aiff: "aiff"
      case .wav: "wav"
      case .caf: "caf"
      case .other(let name): name
      }
    }
  }

  /// The encoding of samples; `belfry sound` uses the same names.
  enum Encoding: Hashable {
    case linearPCM, ima4, uLaw, aLaw
    /// Any other encoding, by name; an alert sound cannot use it (S0-2).
    case other(String)

    var name: String {
      switch self {
      case .linearPCM: "linearPCM"
      case .ima4: "ima4"
      case .uLaw: "uLaw"
      case .aLaw: "aLaw"
      case .other(let name): name
      }
    }
  }

  var container: Container
  var encoding: Encoding
  var channels: Int
  /// The number of frames per second.
  var rate: Int
  /// The number of samples per channel.
  var frames: Int64

  var seconds: Double { rate > 0 ? Double(frames) / Double(rate) : 0 }

  /// The reason that no sound server can play the sound, or nil if no such reason is known.
  var whyUnplayable: String? {
    if frames <= 0 { return "it contains no sound" }
    guard (1...Limits.channels).contains(channels) else {
      return "it has \(channels) channels: use 1 to \(Limits.channels)"
    }
    guard Limits.rates.contains(rate) else {
      return "it has \(rate) frames per second: use \(Limits.rates.lowerBound) to "
        + "\(Limits.rates.upperBound)"
    }
    guard seconds < Limits.seconds else {
      return "it is \(tenths(seconds)) s long: an alert sound is shorter than 30 s"
    }
    return nil
  }

  /// The reason that the sound cannot be an alert sound (S0-2, S0-3, S0-6), or nil if there is no such reason.
  var whyRefused: String? {
    if case .other(let name) = container {
      return "\(name) is not an alert sound format: use aiff, wav or caf"
    }
    if case .other(let name) = encoding {
      return "\(name) is not an alert sound encoding: use Linear PCM, IMA4, µ-law or A-law"
    }
    return whyUnplayable
  }

  private func tenths(_ seconds: Double) -> String {
    guard seconds < 1e9 else { return "more than 1000000000" }
    let tenths = Int64((seconds * 10).rounded(.down))
    return "\(tenths / 10).\(tenths % 10)"
  }
}

/// A source of interleaved 16-bit samples, in order.
protocol SoundSource: AnyObject {
  var format: SoundFormat { get }
  /// Returns the next frames, or an empty array at the end of the sound.
  func next() -> [Int16]
}
