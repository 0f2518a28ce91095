import System

/// The folder with the documents that belong to this executable.
enum DocumentationFolder {
  /// The path of the installed documents, or else of those in the source checkout; nil if neither exists.
  static var path: String? {
    guard let programs = FileSystem.programFolder else { return nil }
    let installed = FileSystem.parent(of: programs) + "/share/doc/belfry/docs"
    // A build of the sources is in .build/debug or .build/PLATFORM/debug.
    let checkout = programs.firstRange(of: "/.build/").map { programs[..<$0.lowerBound] + "/docs" }
    return [installed, checkout.map(String.init)].compactMap { $0 }
      .first { FileSystem.exists($0 + "/README.md") }
  }
}
