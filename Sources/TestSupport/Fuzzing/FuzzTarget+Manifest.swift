import BelfryWire
import AppWire
import Foundation

import Agent

extension FuzzTarget {
  /// Installs an app and looks up its strings.
  ///
  /// The first byte selects a file in the app's folder. The remaining bytes are the content of that file.
  static func runManifest(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    let names = [
      "Info.plist", "Info.json", "org.example.fuzzed.desktop", "en.lproj/Localizable.strings",
      "en.lproj/Localizable.stringsdict", "PlugIns/a.appex/Info.plist",
    ]
    let choice = input.choice(names.count)
    let body = input.remainder()
    let folder = FuzzedFolder(body, at: names[choice])
    switch choice {
    case 0, 1: install(folder.path)
    case 2:
      install("\(folder.path)/\(names[choice])")
      readDesktopFile(String(decoding: body, as: UTF8.self))
    case 3, 4: readTexts(body, in: folder.path)
    default:
      _ = AppManifest.serviceExtension(in: folder.path)
      for found in AppManifest.contentExtensions(in: folder.path) {
        precondition(!found.executable.isEmpty)
      }
    }
  }

  private static func install(_ path: String) {
    switch AppInstaller.read(path, languages: ["de-CH", "en"]) {
    case .success(let app):
      // A string that is displayed on one line must be a single line of limited length.
      for text in [app.name, app.locationUsage].compactMap(\.self) {
        precondition(
          !text.isEmpty && !text.contains(where: \.isNewline),
          "displayed text is a single, nonempty line")
      }
      precondition(app.id.text.utf8.count <= WireLimits.appIDBytesMax)
    case .failure(let refusal):
      precondition(!refusal.message.isEmpty, "a refusal has a message")
    }
  }

  private static func readDesktopFile(_ text: String) {
    let file = DesktopFile(text)
    for word in file.command { precondition(!word.contains("\n") || text.contains("\\n")) }
    _ = file.localized("Name", languages: ["de-CH", "sr-Latn", ""])
    _ = Entitlement.claimed(inList: text)
  }

  private static func readTexts(_ bytes: [UInt8], in folder: String) {
    _ = LocalizedTexts.withoutBareUTF16(bytes)
    let texts = LocalizedTexts()
    for key in ["k", "title", "%@", ""] {
      for arguments in [[], ["1"], ["2", "%2$@", "x"]] {
        _ = texts.text(
          NotificationText(key: key, arguments: arguments),
          folder: folder, languages: ["en"])
      }
    }
  }
}

/// An app's folder that contains a file from a fuzz input.
///
/// The folder is deleted when this object is released.
private final class FuzzedFolder {
  let path: String

  /// The parent folder, in a memory file system if available, because a fuzzer creates thousands of folders per second.
  private static let place =
    FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : "/tmp"

  init(_ bytes: [UInt8], at name: String) {
    path = "\(Self.place)/belfry-fuzz-\(UUID().uuidString)"
    put(bytes, at: name)
    // The program of the extension exists if the manifest names it.
    if name.hasPrefix("PlugIns") { put([], at: "PlugIns/a.appex/program") }
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  private func put(_ bytes: [UInt8], at name: String) {
    let file = "\(path)/\(name)"
    let folder = String(file.prefix(upTo: file.lastIndex(of: "/") ?? file.endIndex))
    try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let isWritten = FileManager.default.createFile(atPath: file, contents: Data(bytes))
    precondition(isWritten, "a file was written in \(path)")
  }
}
