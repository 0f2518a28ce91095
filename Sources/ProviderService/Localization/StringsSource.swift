internal import System

/// Where the strings files of a campaign are.
enum StringsSource {
  /// Why a file cannot be read.
  struct Failure: Error {
    let what: String
  }

  /// In this folder, where the campaign's file lies.
  case folder(String)
  /// With the campaign, by their names.
  case files([String: [UInt8]])

  /// Whether there is a file of this name.
  func has(_ name: String) -> Bool {
    switch self {
    case .folder(let folder): FileSystem.exists("\(folder)/\(name)")
    case .files(let files): files[name] != nil
    }
  }

  /// The `.lproj` folders beside the campaign, sorted.
  var languageFolders: [String] {
    switch self {
    case .folder(let folder):
      return ((try? FileSystem.list(folder)) ?? []).filter { $0.hasSuffix(".lproj") }.sorted()
    case .files(let files):
      let folders = files.keys.compactMap { $0.split(separator: "/").first.map(String.init) }
      return Set(folders.filter { $0.hasSuffix(".lproj") }).sorted()
    }
  }

  /// What a file holds.
  func read(_ name: String) throws(Failure) -> [UInt8] {
    switch self {
    case .folder(let folder):
      do throws(SystemFailure) {
        return try FileSystem.readRegularFile(
          "\(folder)/\(name)", limit: Limits.stringsFileBytesMax)
      } catch {
        throw Failure(what: "\(error)")
      }
    case .files(let files):
      guard let bytes = files[name] else {
        throw Failure(what: "\(name) is not among the files that came along")
      }
      // A list in binary form may refer to itself, and has no place in a text.
      guard !bytes.starts(with: Array("bplist".utf8)) else {
        throw Failure(what: "\(name) is a property list in binary form")
      }
      return bytes
    }
  }
}
