import Foundation
import Testing
import UserNotifications

@testable import BelfryClient

/// Tests that all of Foundation's lookup calls return strings in the languages that the user has chosen on the device.
@Suite struct LocalizationTests {
  /// Returns a bundle whose folder contains the given files.
  private func bundle(_ files: [String: String]) throws -> Bundle {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent(UUID().uuidString, isDirectory: true)
    for (name, text) in files {
      let file = folder.appendingPathComponent(name)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    return try #require(Bundle(path: folder.path))
  }

  private static let plurals = """
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0"><dict><key>N</key><dict>
    <key>NSStringLocalizedFormatKey</key><string>%#@files@ in %#@folders@</string>
    <key>files</key><dict><key>NSStringFormatSpecTypeKey</key><string>NSStringPluralRuleType</string>
    <key>zero</key><string>nothing</string><key>one</key><string>a file</string>
    <key>other</key><string>%d files</string></dict>
    <key>folders</key><dict><key>NSStringFormatSpecTypeKey</key><string>NSStringPluralRuleType</string>
    <key>one</key><string>one folder of %2$@</string><key>other</key><string>%d folders of %2$@</string>
    </dict></dict></dict></plist>
    """

  @Test
  func `The first chosen language that has the key, then the development language`()
    throws
  {
    let bundle = try bundle([
      "en.lproj/Localizable.strings": #""K" = "word"; "ONLY" = "only";"#,
      "fr.lproj/Localizable.strings": #""K" = "mot";"#,
      "German.lproj/Localizable.strings": #""K" = "Wort";"#,
      "zh-Hant.lproj/Localizable.strings": #""K" = "字";"#,
      "fr.lproj/Other.strings": #""K" = "autre";"#,
    ])
    func text(_ key: String, _ languages: String..., table: String? = nil) -> String? {
      BundleTexts.shared.text(
        forKey: key, table: table, folders: [bundle.bundlePath], languages: languages,
        development: "en")
    }
    #expect(text("K", "fr-CA", "en") == "mot")
    #expect(text("K", "ja", "de-AT") == "Wort")
    #expect(text("K", "zh-TW") == "字")
    #expect(text("K", "ja") == "word")
    #expect(text("ONLY", "fr") == "only")
    #expect(text("K", "fr", table: "Other") == "autre")
    #expect(text("NONE", "fr") == nil)
  }

  @Test
  func `Each form of the call finds the text, in files with and without an import of Foundation`()
    throws
  {
    let tag = Locale.userPreferredLanguages[0]
    // Foundation's own lookup would choose the other language.
    let bundle = try bundle([
      "\(tag).lproj/Localizable.strings": #""K" = "chosen";"#,
      "\(tag).lproj/T.strings": #""K" = "chosen";"#,
      "aa.lproj/Localizable.strings": #""K" = "other";"#,
      "aa.lproj/T.strings": #""K" = "other";"#,
    ])
    #expect(AloneFile.texts(bundle) == Array(repeating: "chosen", count: 4))
    #expect(NSLocalizedString("K", bundle: bundle, comment: "") == "chosen")
    #expect(NSLocalizedString("K", tableName: "T", bundle: bundle, comment: "") == "chosen")
    #expect(NSLocalizedString("K", bundle: bundle, value: "v", comment: "") == "chosen")
    #expect(NSLocalizedString("NONE", bundle: bundle, value: "v", comment: "") == "v")
    #expect(NSLocalizedString("NONE", bundle: bundle, comment: "") == "NONE")
    #expect(NSLocalizedString("NONE", comment: "") == "NONE")
    #expect(NSLocalizedString("NONE", tableName: "T", comment: "") == "NONE")
    #expect(NSLocalizedString("NONE", value: "v", comment: "") == "v")
    #expect(NSLocalizedString("NONE", tableName: "T", value: "v", comment: "") == "v")
    #expect(String(localized: "K", bundle: bundle) == "chosen")
    #expect(String(localized: "NONE", defaultValue: "v", bundle: bundle) == "v")
  }

  @Test
  func `Plural forms of a .stringsdict follow the number, in either of Foundation's fillers`()
    throws
  {
    let tag = Locale.userPreferredLanguages[0]
    let bundle = try bundle(["\(tag).lproj/Localizable.stringsdict": Self.plurals])
    func text(_ files: Int, _ folders: Int) -> String {
      String.localizedStringWithFormat(
        NSLocalizedString("N", bundle: bundle, comment: ""), files, folders, "Anna")
    }
    #expect(text(1, 1) == "a file in one folder of Anna")
    #expect(text(0, 2) == "nothing in 2 folders of Anna")
    #expect(text(5, 1) == "5 files in one folder of Anna")
    // Foundation handles a format that no file contains.
    let five = 5
    #expect(String.localizedStringWithFormat("%d%% of %@", five, "it") == "5% of it")
    #expect(String.localizedStringWithFormat("%d%% of %@", 5, "it") == "5% of it")
    #expect(String(format: "%@ %@ %ld", "a", "b", five) == "a b 5")
    #expect(String(format: "%d %d", five as any CVarArg, five) == "5 5")
    #expect(String(format: "%.1f", 2.25) == "2.2")
    #expect(String(format: "%02.2hhx", UInt8(7)) == "07")
  }

  @Test
  func `A key with values among its characters`() throws {
    let tag = Locale.userPreferredLanguages[0]
    let bundle = try bundle([
      "\(tag).lproj/Localizable.strings": #""%lld of %@" = "%2$@: %1$lld"; "100%" = "all";"#
    ])
    #expect(String(localized: "\(3) of \("Anna")", bundle: bundle) == "Anna: 3")
    #expect(String(localized: "\(3) for \("Anna")", bundle: bundle) == "3 for Anna")
    #expect(String(localized: "100%", bundle: bundle) == "all")
  }
}
