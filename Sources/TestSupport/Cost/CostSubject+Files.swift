import AppWire
import Foundation

import Agent

extension CostSubject {
  /// The manifest, the desktop file, and the strings in an app's folder.
  static var files: [CostSubject] {
    let elements: @Sendable (Int) -> String = { bytes in
      (0..<max(1, bytes / 38)).map { "<key>\(100_000 + $0)</key><string>b</string>" }.joined()
    }
    return [
      manifest("Info.plist", "members") { plist(elements($0)) },
      manifest("Info.plist", "combining marks as a key") {
        plist("<key>\(Hostile.marks($0))</key><string>b</string>")
      },
      manifest("Info.plist", "combining marks as the name") {
        plist(
          "<key>CFBundleIdentifier</key><string>org.example.a</string><key>CFBundleExecutable</key><string>a</string>"
            + "<key>CFBundleName</key><string>\(Hostile.marks($0))</string>")
      },
      manifest("Info.plist", "nested arrays") { bytes in
        plist(
          "<key>k</key>" + String(repeating: "<array/>", count: 0) + "<array>"
            + String(repeating: "<array><array></array></array>", count: max(1, bytes / 30))
            + "</array>")
      },
      manifest("Info.json", "small members") {
        Hostile.object($0, each: 11) { #""\#(100_000 + $0)":0"# }
      },
      manifest("Info.json", "combining marks as a key") { #"{"\#(Hostile.marks($0))":1}"# },
      desktopFile("entries") { bytes in
        "[Desktop Entry]\n" + (0..<max(1, bytes / 12)).map { "Key\(100_000 + $0)=b\n" }.joined()
      },
      desktopFile("one key repeated") {
        "[Desktop Entry]\n" + String(repeating: "Name=b\n", count: $0 / 7)
      },
      desktopFile("combining marks as the name") { "[Desktop Entry]\nName=\(Hostile.marks($0))\n" },
      desktopFile("combining marks as a key") { "[Desktop Entry]\n\(Hostile.marks($0))=b\n" },
      desktopFile("quoted words of the command") {
        "[Desktop Entry]\nExec=a" + String(repeating: " \"b\"", count: $0 / 4)
      },
      localized("strings", "members") { bytes in
        (0..<max(1, bytes / 14)).map { "\"\(100_000 + $0)\"=\"b\";" }.joined(separator: "\n")
      },
      localized("strings", "combining marks as a key") { "\"\(Hostile.marks($0))\"=\"b\";" },
      localized("stringsdict", "members") { plist(elements($0)) },
      localized("stringsdict", "forms that reference each other") { bytes in
        plist(
          "<key>k</key><dict><key>NSStringLocalizedFormatKey</key><string>%#@a@</string><key>a</key><dict>"
            + "<key>NSStringFormatSpecTypeKey</key><string>NSStringPluralRuleType</string><key>other</key><string>"
            + String(repeating: "%#@a@", count: bytes / 5) + "</string></dict></dict>")
      },
    ]
  }

  private static func plist(_ content: String) -> String {
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?><plist version=\"1.0\"><dict>\(content)</dict></plist>"
  }

  private static func manifest(
    _ file: String, _ kind: String, _ make: @escaping @Sendable (Int) -> String
  ) -> CostSubject {
    CostSubject("\(file): \(kind)", limit: 1 << 20) { bytes in
      let folder = CostFolder(make(bytes), at: file)
      return { _ = AppInstaller.read(folder.path, languages: ["de-CH", "en"]) }
    }
  }

  private static func desktopFile(
    _ kind: String, _ make: @escaping @Sendable (Int) -> String
  ) -> CostSubject {
    CostSubject("desktop file: \(kind)", limit: 1 << 20) { bytes in
      let text = make(bytes)
      let folder = CostFolder(text, at: "org.example.a.desktop")
      return {
        _ = AppInstaller.read("\(folder.path)/org.example.a.desktop", languages: ["de-CH", "en"])
        let file = DesktopFile(text)
        _ = file.command
        _ = file.localized("Name", languages: ["de-CH", "sr-Latn"])
        _ = Entitlement.claimed(inList: file["X-Belfry-Entitlements"])
      }
    }
  }

  private static func localized(
    _ ending: String, _ kind: String, _ make: @escaping @Sendable (Int) -> String
  ) -> CostSubject {
    CostSubject("\(ending): \(kind)", limit: Agent.Limits.languageFileBytes) { bytes in
      let folder = CostFolder(make(bytes), at: "en.lproj/Localizable.\(ending)")
      return {
        let texts = LocalizedTexts()
        let text = NotificationText(key: "k", arguments: ["3"])
        _ = texts.text(text, folder: folder.path, languages: ["en"])
      }
    }
  }
}

/// An app's folder that contains a single file.
///
/// The folder is deleted when this object is released.
private final class CostFolder {
  let path: String

  init(_ text: String, at name: String) {
    path = NSTemporaryDirectory() + "belfry-cost-\(UUID().uuidString)"
    let file = URL(fileURLWithPath: "\(path)/\(name)")
    try? FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    let isWritten = FileManager.default.createFile(atPath: file.path, contents: Data(text.utf8))
    precondition(isWritten, "a file was written in \(path)")
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
