import CVersion

/// The version of this build.
enum Version {
  static let current = "0.1.0"

  /// The commit from which this version was built; empty if unknown.
  static var commit: String { unsafe String(cString: belfry_commit()) }

  /// The version followed by the commit, if known: `0.1.0 (0123456789)`.
  static var text: String {
    commit.isEmpty ? current : "\(current) (\(commit))"
  }
}
