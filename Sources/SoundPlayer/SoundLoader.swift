import Glibc

/// Functions that find and open sounds.
enum SoundLoader {
  /// Opens a file; returns nil if no reader supports its format.
  static func open(_ path: String) -> (any SoundSource)? {
    if let bytes = head(path, 4), bytes == Array("caff".utf8), let whole = read(path),
      let file = CoreAudioFile(whole)
    {
      return file
    }
    return LibraryFile(path: path)
  }

  private static func head(_ path: String, _ count: Int) -> [UInt8]? {
    guard let file = unsafe fopen(path, "re") else { return nil }
    defer { unsafe fclose(file) }
    var bytes = [UInt8](repeating: 0, count: count)
    let read = unsafe bytes.withUnsafeMutableBytes { unsafe fread($0.baseAddress, 1, count, file) }
    return read == count ? bytes : nil
  }

  /// Returns the whole file, or nil if it is too long or cannot be read.
  private static func read(_ path: String) -> [UInt8]? {
    guard let file = unsafe fopen(path, "re") else { return nil }
    defer { unsafe fclose(file) }
    var whole: [UInt8] = []
    var bytes = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe bytes.withUnsafeMutableBytes {
        unsafe fread($0.baseAddress, 1, $0.count, file)
      }
      guard count > 0 else { return whole }
      guard whole.count + count <= Limits.fileBytes else { return nil }
      whole += bytes[..<count]
    }
  }
}

/// A sound of two short tones that fade out, which is played if no file can be played.
final class Chime: SoundSource {
  let format = SoundFormat(
    container: .other("built in"), encoding: .linearPCM, channels: 1, rate: 44_100, frames: 22_050)
  private var isTaken = false

  func next() -> [Int16] {
    guard !isTaken else { return [] }
    isTaken = true
    return (0..<22_050).map { frame in
      let time = Double(frame) / 44_100
      let second = max(0, time - 0.12)
      let first = sin(2 * Double.pi * 880 * time) * exp(-9 * time)
      let other = time < 0.12 ? 0 : sin(2 * Double.pi * 1_318.5 * second) * exp(-9 * second)
      return Int16((first + other) * 8_000)
    }
  }
}
