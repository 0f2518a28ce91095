import Foundation
import TestSupport
import Testing

@testable import Agent

@Suite("An app's icon")
struct IconSearchTests {
  @Test func `a name is the file of the theme that every app's icon is in, a path stays one`()
    throws
  {
    let folder = try ScratchFolder()
    let environment = ["XDG_DATA_HOME": folder.path, "XDG_DATA_DIRS": "/nonexistent"]
    let apps = folder.file("icons/hicolor/48x48/apps")
    try FileManager.default.createDirectory(atPath: apps, withIntermediateDirectories: true)
    try FileManager.default.createDirectory(
      atPath: folder.file("pixmaps"), withIntermediateDirectories: true)
    for file in [
      apps + "/burger.png", folder.file("pixmaps/burger.png"), folder.file("pixmaps/old.svg"),
    ] {
      try Data().write(to: URL(fileURLWithPath: file))
    }
    func path(_ name: String) -> String { IconSearch.path(of: name, environment: environment) }
    #expect(path("burger") == apps + "/burger.png")
    #expect(path("old") == folder.file("pixmaps/old.svg"))
    for name in ["other", "", "/opt/burger.png", "../../burger"] { #expect(path(name) == name) }
  }
}
