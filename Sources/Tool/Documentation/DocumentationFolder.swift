import System

/// The folder that contains the documentation for this executable.
enum DocumentationFolder {
  /// The path of the installed documentation or, if that doesn't exist, of the documentation in the source checkout;
  /// nil if neither exists.
  static var path: String? {
    guard let programs = FileSystem.programFolder else { return nil }
    let installed = FileSystem.parent(of: programs) + "/share/doc/belfry/docs"
    // A build from the sources is in .build/debug or .build/PLATFORM/debug.
    let checkout = programs.firstRange(of: "/.build/").map { programs[..<$0.lowerBound] + "/docs" }
    return [installed, checkout.map(String.init)].compactMap { $0 }
      .first { FileSystem.exists($0 + "/README.md") }
  }
}
