import Foundation

/// The folders of this checkout and its build.
public enum Installation {
  /// The root folder of the package.
  public static let root: String = {
    // Sources/TestSupport/Processes/Installation.swift
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().path
  }()

  /// The folder of this build's executables.
  public static let products: String =
    URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().path

  /// The path of this build's `belfry` executable.
  public static let belfry = products + "/belfry"
}
