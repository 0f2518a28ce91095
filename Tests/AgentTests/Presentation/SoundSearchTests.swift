import Foundation
import TestSupport
import Testing

@testable import Agent

@Suite("Where sounds lie")
struct SoundSearchTests {
  private func put(_ path: String, in folder: ScratchFolder) throws -> String {
    let file = folder.file(path)
    try FileManager.default.createDirectory(
      at: URL(fileURLWithPath: file).deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data().write(to: URL(fileURLWithPath: file))
    return file
  }

  @Test
  func `client-api 3.51: Library/Sounds is searched first, then the bundle's top level`()
    throws
  {
    let folder = try ScratchFolder()
    let environment = ["XDG_DATA_HOME": folder.file("data")]
    var app = LocalApp(id: ModelBench.burger)
    app.bundlePath = folder.file("Burger.app")
    func found(_ name: String) -> String? {
      SoundSearch.file(name, of: app, environment: environment)
    }
    #expect(found("a.caf") == nil)
    let localised = try put("Burger.app/en.lproj/a.caf", in: folder)
    // S0-4
    #expect(FileManager.default.fileExists(atPath: localised))
    #expect(found("a.caf") == nil)
    let inBundle = try put("Burger.app/a.caf", in: folder)
    // S0-1 part 1 of 3: the file belongs to the app
    // S1-46 part 1 of 2: the folders that are searched
    // S1-74 part 1 of 3: the folders that are searched
    #expect(found("a.caf") == inBundle)
    let own = try put("data/\(ModelBench.burger)/Library/Sounds/a.caf", in: folder)
    #expect(found("a.caf") == own)
  }

  @Test(arguments: ["", "../a.caf", "/etc/passwd", ".", "en.lproj/a.caf"])
  func `a name is no path`(name: String) throws {
    let folder = try ScratchFolder()
    var app = LocalApp(id: ModelBench.burger)
    app.bundlePath = folder.path
    _ = try put("en.lproj/a.caf", in: folder)
    #expect(SoundSearch.file(name, of: app, environment: ["HOME": folder.path]) == nil)
  }

  @Test
  func `the theme's sound for a message is the system's`() throws {
    let folder = try ScratchFolder()
    let environment = ["XDG_DATA_HOME": folder.path, "XDG_DATA_DIRS": ""]
    #expect(SoundSearch.systemFile(environment: environment) == nil)
    let bell = try put("sounds/freedesktop/stereo/bell.oga", in: folder)
    #expect(SoundSearch.systemFile(environment: environment) == bell)
    let message = try put("sounds/freedesktop/stereo/message-new-instant.oga", in: folder)
    #expect(SoundSearch.systemFile(environment: environment) == message)
  }
}
