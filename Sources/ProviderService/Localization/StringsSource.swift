internal import System

/// The location of a campaign's strings files.
enum StringsSource {
  /// The reason that a file cannot be read.
  struct Failure: Error {
    let what: String
    /// Advice on fixing the problem; nil if the name itself might be wrong.
    var advice: String?
  }

  /// The files are in this folder, next to the campaign's file.
  case folder(String)
  /// The files were sent with the campaign. The key of each file is its name.
  case files([String: [UInt8]])

  /// Returns true if a file with this name exists.
  func has(_ name: String) -> Bool {
    switch self {
    case .folder(let folder): FileSystem.exists("\(folder)/\(name)")
    case .files(let files): files[name] != nil
    }
  }

  /// The `.lproj` folders of the source, sorted.
  var languageFolders: [String] {
    switch self {
    case .folder(let folder):
      return ((try? FileSystem.list(folder)) ?? []).filter { $0.hasSuffix(".lproj") }.sorted()
    case .files(let files):
      let folders = files.keys.compactMap { $0.split(separator: "/").first.map(String.init) }
      return Set(folders.filter { $0.hasSuffix(".lproj") }).sorted()
    }
  }

  /// Returns the content of a file.
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
        throw Failure(
          what: "the file '\(RequestProblem.excerpt(name))' was not sent with the campaign",
          advice: "add it to the files")
      }
      // A binary property list can refer to itself, and cannot be sent as text.
      guard !bytes.starts(with: Array("bplist".utf8)) else {
        throw Failure(
          what: "\(RequestProblem.excerpt(name)): a binary property list cannot be sent",
          advice: "convert it to XML, for example with plutil -convert xml1")
      }
      return bytes
    }
  }
}
