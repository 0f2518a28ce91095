import AppWire
import Foundation
import TestSupport
import Testing

@testable import Agent

/// Tests of the limits on language files, because apps choose the paths and the languages that the agent reads.
@Suite struct LanguageFileTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func write(
    _ language: String, padding: Int, key: String = "key", text: String, ending: String = ""
  ) throws {
    let lproj = folder.file("\(language).lproj")
    try FileManager.default.createDirectory(atPath: lproj, withIntermediateDirectories: true)
    let comment = "/*" + String(repeating: "x", count: padding) + "*/"
    try Data("\(comment)\n\"\(key)\" = \"\(text)\";\n\(ending)".utf8)
      .write(to: URL(fileURLWithPath: lproj + "/Localizable.strings"))
  }

  private func look(_ texts: LocalizedTexts, _ key: String, _ languages: [String]) -> String {
    texts.text(NotificationText(key: key), folder: folder.path, languages: languages).text
  }

  @Test func `the files in which one text is looked up have a limit together`() throws {
    try write("aa", padding: 2 << 20, text: "first")
    try write("bb", padding: 2 << 20, key: "other", text: "too much")
    try write("cc", padding: 1 << 20, key: "third", text: "fits")
    let texts = LocalizedTexts()
    #expect(look(texts, "key", ["aa", "bb", "cc"]) == "first")
    for _ in 0..<2 {
      #expect(look(texts, "other", ["aa", "bb", "cc"]) == "other")
      #expect(look(texts, "third", ["aa", "bb", "cc"]) == "fits")
      #expect(look(texts, "other", ["bb", "aa"]) == "too much")
    }
  }

  @Test func `the texts in memory are bounded, however many files apps name`() throws {
    let texts = LocalizedTexts()
    for number in 0..<12 {
      let language = "l\(number)"
      try write(language, padding: 3 << 20, text: language)
      #expect(look(texts, "key", [language]) == language)
      #expect(texts.cachedBytes <= Limits.cachedLanguageBytes)
    }
    #expect(texts.cachedBytes > 3 << 20)
    // A file that the agent dropped from memory is read again.
    #expect(look(texts, "key", ["l0"]) == "l0")
  }

  @Test func `a file that cannot be parsed is remembered until it changes`() throws {
    let texts = LocalizedTexts()
    try write("aa", padding: 1_000, text: "text", ending: "= broken")
    #expect(look(texts, "key", ["aa"]) == "key")
    #expect(texts.cachedBytes > 1_000)
    try FileManager.default.removeItem(atPath: folder.file("aa.lproj"))
    try write("aa", padding: 1_000, text: "text")
    let later: [FileAttributeKey: Any] = [.modificationDate: Date(timeIntervalSinceNow: 10)]
    try FileManager.default.setAttributes(
      later, ofItemAtPath: folder.file("aa.lproj/Localizable.strings"))
    #expect(look(texts, "key", ["aa"]) == "text")
  }
}
