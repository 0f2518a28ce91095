import CVersion

/// The version of this build.
enum Version {
  static let current = "0.1.0"

  /// The version, and the commit where it is known: `0.1.0 (0123456789)`.
  static var text: String {
    let commit = unsafe String(cString: belfry_commit())
    return commit.isEmpty ? current : "\(current) (\(commit))"
  }
}
