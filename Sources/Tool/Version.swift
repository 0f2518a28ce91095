/// The version of this build.
enum Version {
  static let current = "0.1.0"
}
