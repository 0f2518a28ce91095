@testable import BelfryWire
@testable import Scheduling
import Foundation
import System
import TestSupport
import Testing

@testable import ProviderService

private func object(_ text: String) throws -> JSONObject {
  try #require(try JSONValue(parsing: text).objectValue)
}

private func problems(
  _ alert: String, fallback: LanguageChoice.Fallback = .widelySpoken, arguments: [String] = []
) throws -> [String] {
  let alert = try object(alert)
  do {
    _ = try AlertCatalogue(alert, fallback: fallback, arguments: arguments)
    return []
  } catch {
    return error.all.map(\.description)
  }
}

@Suite struct LocalizationTests {
  @Test func `a device gets the text in its language, a broader language or the fallback`()
    throws
  {
    let choice = try #require(
      LanguageChoice(of: ["de", "en", "fr", "pt-BR", "zh-Hant"], fallback: .widelySpoken))
    #expect(choice.language(for: "fr-CA")?.language == "fr")
    #expect(choice.language(for: "FR")?.language == "fr")
    #expect(choice.language(for: "zh-TW")?.language == "zh-Hant")
    #expect(choice.language(for: "pt-br")?.language == "pt-BR")
    #expect(try #require(choice.language(for: "fi")) == ("en", true))
    #expect(try #require(choice.language(for: nil)) == ("en", false))
    let german = LanguageChoice(of: ["de", "fr"], fallback: .language("de"))
    #expect(german?.language(for: "fi")?.language == "de")
    #expect(LanguageChoice(of: ["de", "fr"], fallback: .widelySpoken)?.fallback == "fr")
    #expect(LanguageChoice(of: [], fallback: .widelySpoken) == nil)
  }

  @Test func `a language that the campaign lacks has no text where nothing is widely understood`()
    throws
  {
    let finnish = try #require(LanguageChoice(of: ["fi"], fallback: .widelySpoken))
    #expect(finnish.fallback == nil && finnish.language(for: "ja") == nil)
    #expect(finnish.language(for: "fi-FI")?.language == "fi")
    #expect(
      try #require(finnish.language(for: nil)) == ("fi", false),
      "the device requested no other language")
    let strict = try #require(LanguageChoice(of: ["en", "fr"], fallback: .none))
    #expect(strict.language(for: "de") == nil && strict.language(for: "en-GB")?.language == "en")
  }

  @Test(arguments: [#"{"title":"","body":""}"#, #"{"title":" "}"#])
  func `a language with only empty strings has no text`(blank: String) throws {
    #expect(
      try problems(#"{"en":{"title":"Sale","body":"now"},"fr":\#(blank)}"#)
        .contains { $0.hasPrefix("alert.fr: no text") })
    #expect(try problems(blank).contains { $0.hasPrefix("alert: no text") })
    #expect(try problems(#"{"en":{"title":"","body":"now"}}"#) == [])
  }

  @Test func `plural forms follow the language's rules`() throws {
    let alert = try object(
      """
      {"en":{"body":{"one":"%d file for %2$@","other":"%d files for %2$@"}},
       "ru":{"body":{"one":"%d файл, %2$@","few":"%d файла, %2$@","many":"%d файлов, %2$@",
             "other":"%d файла, %2$@"}},
       "ja":{"body":{"other":"%2$@に%d個"}}}
      """)
    func body(_ count: String, _ language: String) throws -> String? {
      let catalogue = try AlertCatalogue(alert, fallback: .widelySpoken, arguments: [count, "Ann"])
      return catalogue.alert(in: language)?["body"]?.stringValue
    }
    #expect(try body("1", "en") == "1 file for Ann")
    #expect(try body("2", "en") == "2 files for Ann")
    #expect(try body("3", "ru") == "3 файла, Ann")
    #expect(try body("5", "ru") == "5 файлов, Ann")
    #expect(try body("21", "ru") == "21 файл, Ann")
    #expect(try body("1", "ja") == "Annに1個")
  }

  @Test func `placeholders that differ between languages are refused`() throws {
    #expect(
      try problems(
        #"{"en":{"body":"%@ has %d"},"fr":{"body":"%d pour %@"}}"#, arguments: ["2", "3"]
      ).joined().contains("1 number, 2 text"))
    // An error in the text itself is reported without the difference that it causes.
    #expect(
      try problems(
        #"{"en":{"body":"%@ has %d"},"fr":{"body":"%d pour %@"}}"#, arguments: ["Ann", "3"]
      ) == [
        "alert.fr.body: invalid value 'Ann' for '%d' (argument 1): expected a number, or use %@ for text or %% for a percent sign"
      ])
    #expect(
      try problems(#"{"en":{"body":"%05d"},"fr":{"body":"%.2f"}}"#, arguments: ["3"]).map {
        $0.prefix { $0 != "'" }
      } == ["alert.en.body: invalid placeholder ", "alert.fr.body: invalid placeholder "])
    #expect(
      try problems(
        #"{"en":{"body":"%@ has %d"},"fr":{"body":"%2$d pour %1$@"}}"#, arguments: ["Ann", "3"]
      ).isEmpty)
    #expect(
      try problems(#"{"en":{"body":"Hello %@"}}"#).joined().contains("'arguments' has 0 values"))
    for form in ["%.2f", "%05d", "%-3@", "%1$+d", "%'lu"] {
      let told = try problems(#"{"en":{"body":"\#(form)"}}"#, arguments: ["3"]).joined()
      #expect(told.contains("invalid placeholder '"), "\(form): \(told)")
    }
    #expect(
      try problems(#"{"en":{"body":"%1$d of %2$lu, 100%%"}}"#, arguments: ["3", "4"]).isEmpty)
    #expect(try problems(#"{"en":{"body":"100 % sure, 50%off"}}"#).isEmpty)
    #expect(
      try problems(#"{"en":{"body":"%d"}}"#, arguments: ["many"])
        == [
          "alert.en.body: invalid value 'many' for '%d' (argument 1): expected a number, or use %@ for text or %% for a percent sign"
        ])
    // The plural forms have the same problem, which is reported once.
    #expect(
      try problems(#"{"en":{"body":{"one":"%d","other":"%d"}}}"#, arguments: ["many"]).count {
        $0.hasPrefix("alert.en.body: invalid value 'many' for '%d' (argument 1)")
      } == 1)
    #expect(
      try problems(#"{"en":{"title":"a","body":"b"},"de":{"title":"a"}}"#)
        == ["alert.de.body: missing, although en has one: add the translation"])
    #expect(
      try problems(#"{"en":{"body":"b"}}"#, fallback: .language("fr")).joined().contains(
        "fallback: invalid value 'fr': expected one of the campaign's languages: en"))
    #expect(try problems(#"{"e":{"body":"b"}}"#).joined().contains("language tag"))
    for (one, other) in [("en", "EN"), ("fr-CA", "fr_ca")] {
      #expect(
        try problems(#"{"\#(one)":{"body":"a"},"\#(other)":{"body":"b"}}"#) == [
          "alert.\(other): '\(other)' and '\(one)' are the same language: remove one of them"
        ])
    }
    #expect(try problems(#"{"en":{"boddy":"b"}}"#).joined().contains("unknown member"))
    #expect(
      try problems(#"{"en":{"body":{"one":"a","other":"b"}}}"#).joined().contains("plural forms"))
  }

  @Test func `An error about a percent sign names the placeholder and proposes two of them`() throws
  {
    let invalid =
      "alert.en.body: invalid value 'pizza' for '%o' (argument 1): expected a number, or use %@ for "
      + "text or %% for a percent sign"
    #expect(
      try problems(#"{"en":{"body":"20%off for %@ fans"}}"#, arguments: ["pizza", "Ann"])
        == [invalid])
    #expect(
      try problems(#"{"en":{"body":"50%off %@!"}}"#, arguments: ["pizza"]) == [
        "alert.en.body: no value for '%@' (argument 2): 'arguments' has 1 value: add the value to "
          + "'arguments', or write %% for a percent sign", invalid,
      ])
    #expect(
      try problems(#"{"en":{"body":"50%off %@!"}}"#) == [
        "alert.en.body: no value for '%@': 'arguments' has 0 values: add the value to 'arguments', or "
          + "write %% for a percent sign"
      ])
    #expect(try problems(#"{"en":{"body":"50%%off %@!"}}"#, arguments: ["pizza"]) == [])
  }

  @Test(arguments: [
    ("FR", "fr"), ("fr_ca", "fr-CA"), ("ZH-hANT-tw", "zh-Hant-TW"), ("es-419", "es-419"),
    ("EN-x-AB", "en-x-ab"), ("sl-ROZAJ", "sl-rozaj"),
  ])
  func `A language has one spelling, but errors have the campaign's own`(
    written: String, spelling: String
  ) throws {
    let catalogue = try AlertCatalogue(
      object(#"{"\#(written)":{"body":"b"}}"#), fallback: .language(written), arguments: [])
    #expect(catalogue.languages == [spelling] && catalogue.choice?.fallback == spelling)
    #expect(catalogue.alert(in: spelling)?["body"] == "b")
    #expect(
      try problems(#"{"\#(written)":{"body":"%@"}}"#).first?.hasPrefix("alert.\(written).body: ")
        == true)
    #expect(try RegistrationRequest.language(written) == spelling)
  }

  @Test func `missing plural forms, unused arguments and invalid language tags are reported`()
    throws
  {
    #expect(
      try problems(#"{"en":{"body":{"one":"a","few":"b"}}}"#, arguments: ["2"]).first?.hasPrefix(
        "alert.en.body: missing plural form 'other'") == true)
    #expect(
      try problems(#"{"english":{"body":"b"}}"#).joined().contains("invalid language tag 'english'")
    )
    func warnings(_ text: String, _ arguments: [String]) throws -> [String] {
      try AlertCatalogue(object(text), fallback: .widelySpoken, arguments: arguments).warnings
    }
    #expect(
      try warnings(#"{"pl":{"body":{"one":"%d a","other":"%d b"}}}"#, ["5"]) == [
        "alert.pl.body lacks plural forms of the language ('few', 'many'): 'other' is used instead"
      ])
    #expect(
      try warnings(
        #"{"pl":{"body":{"one":"%d","few":"%d","many":"%d","other":"%d"}}}"#, ["5"]
      ).isEmpty)
    #expect(try warnings(#"{"en":{"body":{"one":"one","other":"more"}}}"#, ["5"]).isEmpty)
    #expect(try warnings(#"{"ja":{"body":{"other":"%d"}}}"#, ["5"]).isEmpty)
    #expect(
      try warnings(#"{"en":{"body":"%1$@"}}"#, ["Ann", "Bob"]) == [
        "argument 2 ('Bob') is not used in any string"
      ])
  }

  @Test(arguments: [
    (
      "/* a\n b */\n\"title\" = \"a\"\n\"body\" = \"b\";", 3,
      "missing ';' after the text of 'title'"
    ),
    ("\"title\" \"a\";", 1, "missing '=' after the key"),
    ("// c\r\n\"title\" = \"a;\n", 2, "missing closing"), ("\n\n/* a\n", 3, "missing '*/'"),
    ("title = ;", 1, "expected the text of 'title'"), ("\n= \"a\";", 2, "'='"),
    ("\"body\" = (a, b);", 1, "'('"), ("a = \"\u{1}\\", 1, "missing closing"),
    (String(repeating: "a={", count: 100), 1, "nested '{'"), ("{a = b;", 1, "'}'"),
  ])
  func `a strings file that is wrong is refused by its line`(
    text: String, line: Int, what: String
  ) throws {
    do throws(RequestProblems) {
      _ = try StringsFile.resolve(
        ["alert": ["fr": "fr.strings"]], files: ["fr.strings": Array(text.utf8)])
      Issue.record("\(text) was accepted")
    } catch {
      #expect("\(error)".hasPrefix("alert.fr: fr.strings line \(line): "), "\(error)")
      #expect("\(error)".contains(what), "\(error)")
    }
  }

  @Test(arguments: [JSONValue.string("a"), ["en": "a"]])
  func `A text in place of an alert is refused with both forms of an alert`(
    alert: JSONValue
  ) throws {
    let error = #expect(throws: RequestProblems.self) {
      try StringsFile.resolve(["topic": "a.b", "alert": alert], in: "/nonexistent")
    }
    let advice = error?.all.map(\.advice) ?? []
    #expect(
      advice == [
        "expected {\"title\":…,\"body\":…}, or the name of a .strings, .stringsdict, .xcstrings or JSON file"
      ])
  }

  @Test func `A misspelled member of an alert for all languages is not searched as a file`() throws
  {
    let campaign = try object(#"{"topic":"a.b","alert":{"title":"Hi","boddy":"x"}}"#)
    #expect(try StringsFile.resolve(campaign, in: "/nonexistent") == campaign)
    let error = #expect(throws: RequestProblems.self) { try CampaignDocument(campaign) }
    #expect(
      error?.description
        == "alert.boddy: unknown member: expected title, subtitle, body, or a key such as loc-key")
  }

  /// Tests a file that root specifies in another user's folder.
  ///
  /// The file might be a link to a file with secrets.
  @Test(arguments: ["fr.strings", "fr.stringsdict", "fr.json", "fr.xcstrings"])
  func `A file that is no strings file is refused without its content`(name: String) throws {
    let folder = try ScratchFolder()
    for secret in [
      "root:$y$j9T$secret:19000:0:\n", "secret\n", "[secret]", "\"secret\"", "{secret",
    ] {
      try FileSystem.write(Array(secret.utf8), to: folder.file("shadow"))
      try? FileSystem.remove(folder.file(name))
      try FileManager.default.createSymbolicLink(
        atPath: folder.file(name), withDestinationPath: folder.file("shadow"))
      let error = #expect(throws: RequestProblems.self) {
        try StringsFile.resolve(object(#"{"alert":{"fr":"\#(name)"}}"#), in: folder.path)
      }
      let told = error?.description ?? ""
      #expect(!told.contains("secret") && told.contains(name), "\(told)")
    }
  }

  @Test func `a strings file is read as translators write it`() throws {
    let text = #"""
      /* comment */ "title" = "a \"quoted\"\n\U00e9\101"; // "body" = "no";
      body = 'it''s'; "loc-key";
      """#.replacingOccurrences(of: "''s", with: "s")
    for bytes in [
      Array(text.utf8), [0xEF, 0xBB, 0xBF] + Array(text.utf8),
      [0xFF, 0xFE] + text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] },
      [0xFE, 0xFF] + text.utf16.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] },
    ] as [[UInt8]] {
      let alert = try StringsFile.resolve(
        ["alert": ["fr": "fr.strings"]], files: ["fr.strings": bytes])["alert"]
      #expect(
        alert == ["fr": ["title": "a \"quoted\"\néA", "body": "its", "loc-key": "loc-key"]])
    }
    let latin = Array("\n\"body\" = \"".utf8) + [0xE9] + Array("\";".utf8)
    let failure = #expect(throws: StringsParser.Failure.self) {
      try StringsParser.text(of: latin)
    }
    #expect(failure?.description == "line 2: not valid UTF-8: save the file as UTF-8")
    // Any input produces an answer.
    var state: UInt64 = 1
    let alphabet = Array("\"'=;{}/*\\Uu0a\n\r <(\u{FFFD}".unicodeScalars)
    for _ in 0..<20_000 {
      var scalars = String.UnicodeScalarView()
      for _ in 0..<24 {
        state = state &* 6_364_136_223_846_793_005 &+ 1
        scalars.append(alphabet[Int(state >> 33) % alphabet.count])
      }
      _ = try? StringsParser.parse(String(scalars))
    }
  }

  @Test func `a text that grows beyond any payload with its arguments is refused`() throws {
    let format = String(repeating: "%1$@", count: 3)
    let long = String(repeating: "x", count: 2_000)
    #expect(
      try problems(#"{"en":{"body":"\#(format)"}}"#, arguments: [long]) == [
        "alert.en.body: longer than 5120 bytes with its arguments, or its plural forms refer to each other too often: "
          + "shorten the text or its arguments"
      ])
    // The forms refer to each other, 12 times on each of four levels.
    let names = String(repeating: "%#@a@", count: 12)
    let told = try problems(
      """
      {"en":{"body":{"NSStringLocalizedFormatKey":"%#@a@",
        "a":{"NSStringFormatSpecTypeKey":"NSStringPluralRuleType","other":"\(names)"}}}}
      """, arguments: ["3"])
    #expect(told.count == 1 && told.joined().hasPrefix("alert.en.body: longer than 5120 bytes"))
  }

  @Test func `many placeholders without an argument are reported as one short problem`() throws {
    let format = String(repeating: "%@", count: 5_000)
    #expect(
      try problems(#"{"en":{"body":"\#(format)"}}"#, arguments: ["a"]).count == 1)
    let told = try problems(
      #"{"en":{"body":"\#(format)"},"de":{"body":"%@"}}"#, arguments: ["a"])
    #expect(told.joined().contains("16 text, …"))
    #expect(told.joined().utf8.count < 2_000)
  }

  @Test func `localization keys for the device's own texts are passed through unchanged`() throws {
    let alert = try object(#"{"title-loc-key":"T","loc-key":"B","loc-args":["Ann"]}"#)
    let catalogue = try AlertCatalogue(alert, fallback: .widelySpoken, arguments: [])
    #expect(catalogue.alert(in: catalogue.choice?.fallback ?? "") == alert)
    #expect(
      try problems(#"{"loc-key":"B","loc-args":"Ann"}"#).joined().contains("expected an array"))
  }

  @Test func `texts are read from the files that translators work in`() throws {
    let folder = try ScratchFolder()
    func write(_ name: String, _ text: String) throws {
      let path = folder.file(name)
      try FileManager.default.createDirectory(
        atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
      try text.write(toFile: path, atomically: true, encoding: .utf8)
    }
    try write("fr.strings", #""title" = "Salut"; "body" = "x"; "other" = "no part of it";"#)
    try write(
      "fr.stringsdict",
      """
      <?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict><key>body</key><dict>
      <key>NSStringLocalizedFormatKey</key><string>%#@n@ ici</string><key>n</key><dict>
      <key>NSStringFormatSpecTypeKey</key><string>NSStringPluralRuleType</string>
      <key>NSStringFormatValueTypeKey</key><string>d</string>
      <key>one</key><string>%d match</string><key>other</key><string>%d matchs</string>
      </dict></dict></dict></plist>
      """)
    try write("de.lproj/News.strings", #""title" = "Hallo"; "body" = "Text";"#)
    try write("it.lproj/News.strings", #""title" = "Ciao"; "body" = "Testo";"#)
    try write(
      "All.xcstrings",
      """
      {"sourceLanguage":"en","version":"1.0","strings":{
       "title":{"localizations":{"en":{"stringUnit":{"state":"translated","value":"Hi"}},
                                 "es":{"stringUnit":{"state":"translated","value":"Hola"}}}},
       "body":{"localizations":{
         "en":{"variations":{"plural":{"one":{"stringUnit":{"value":"%d match"}},
                                       "other":{"stringUnit":{"value":"%d matches"}}}}},
         "es":{"stringUnit":{"value":"%d partidos"}}}}}}
      """)
    func alert(_ campaign: String, _ language: String, _ arguments: [String] = []) throws
      -> JSONObject?
    {
      let resolved = try StringsFile.resolve(object(campaign), in: folder.path)
      let alert = try #require(resolved["alert"]?.objectValue)
      return try AlertCatalogue(alert, fallback: .widelySpoken, arguments: arguments).alert(
        in: language)
    }
    #expect(
      try alert(#"{"alert":{"fr":"fr.strings"}}"#, "fr", ["2"])
        == ["title": "Salut", "body": "2 matchs ici"])
    #expect(try alert(#"{"alert":"News.strings"}"#, "it") == ["title": "Ciao", "body": "Testo"])
    #expect(try alert(#"{"alert":"News.strings"}"#, "de") == ["title": "Hallo", "body": "Text"])
    #expect(
      try alert(#"{"alert":"All.xcstrings"}"#, "en", ["1"]) == ["title": "Hi", "body": "1 match"])
    #expect(
      try alert(#"{"alert":"All.xcstrings"}"#, "es", ["1"])
        == ["title": "Hola", "body": "1 partidos"])
    for campaign in [#"{"alert":{"fr":"none.strings"}}"#, #"{"alert":"none.strings"}"#] {
      #expect(throws: RequestProblems.self) {
        try StringsFile.resolve(object(campaign), in: folder.path)
      }
    }
  }

  @Test func `A missing strings file does not hide other problems of the campaign`() throws {
    let campaign = try object(
      """
      {"topic":"a.b","to":"all","rate":5,"quiethours":{"from":"22:00"},"fallback":"fr",
       "alert":{"en":{"titel":"Breakfast"},"fr":"fr.strings","it":"it.strings"}}
      """)
    let error = #expect(throws: RequestProblems.self) {
      try StringsFile.resolve(campaign, files: [:])
    }
    let fields = (error?.all ?? []).compactMap(\.field)
    #expect(fields.starts(with: ["alert.fr", "alert.it", "quiethours"]), "\(fields)")
    #expect(fields.contains { $0.hasPrefix("alert.en") }, "\(fields)")
    #expect(!fields.contains("fallback") && !fields.contains("rate"), "\(fields)")
    let complete = #expect(throws: RequestProblems.self) {
      try StringsFile.resolve(["topic": "a.b", "alert": "none.strings"], files: [:])
    }
    #expect(complete?.all.map(\.field) == ["alert"])
  }

  @Test func `a campaign can include strings files`() throws {
    let files = [
      "fr.strings": Array(#""body" = "Salut";"#.utf8), "bin.strings": Array("bplist00".utf8),
      "de.lproj/News.strings": Array(#""body" = "Hallo";"#.utf8),
    ]
    func alert(_ campaign: String) throws -> JSONValue? {
      try StringsFile.resolve(object(campaign), files: files)["alert"]
    }
    #expect(try alert(#"{"alert":{"fr":"fr.strings"}}"#) == ["fr": ["body": "Salut"]])
    #expect(try alert(#"{"alert":"News.strings"}"#) == ["de": ["body": "Hallo"]])
    for (name, why) in [
      ("it.strings", "the file 'it.strings' was not sent"),
      ("bin.strings", "a binary property list"),
      ("/etc/passwd", "was not sent"), ("../fr.strings", "was not sent"),
    ] {
      let error = #expect(throws: RequestProblems.self) {
        try alert(#"{"alert":{"it":"\#(name)"}}"#)
      }
      #expect(error?.all.first?.field == "alert.it")
      #expect(error?.description.contains(why) == true, "\(error?.description ?? "")")
    }
  }

  @Test func `a campaign whose payload is too large in one language is refused`() throws {
    let long = String(repeating: "é", count: 2_100)
    let document = try object(
      #"{"topic":"com.example.app","alert":{"en":{"body":"b"},"fr":{"body":"\#(long)"}}}"#)
    let error = #expect(throws: RequestProblems.self) { try CampaignDocument(document) }
    #expect(error?.all.map(\.field) == ["alert.fr"])
  }

  @Test func `the payload is merged with the alert, and invalid campaigns are refused by field`()
    throws
  {
    let document = try CampaignDocument(
      object(
        """
        {"topic":"com.example.app","alert":{"en":{"body":"b"}},"fallback":"en","priority":5,
         "expiration":0,"payload":{"aps":{"sound":"default"},"x":1}}
        """))
    #expect(
      String(decoding: document.payload(in: "en"), as: UTF8.self)
        == #"{"aps":{"sound":"default","alert":{"body":"b"}},"x":1}"#)
    #expect(document.priority == 5 && document.expiration(now: 7) == .once)
    for (bad, field) in [
      (#"{"alert":{"en":{"body":"b"}}}"#, "topic"),
      (#"{"topic":"a.b","alert":{"en":{"body":"b"}},"at":"soon"}"#, "at"),
      (
        #"{"topic":"a.b","alert":{"en":{"body":"b"}},"quietHours":{"from":"22:00"}}"#,
        "quietHours.to"
      ),
      (#"{"topic":"a.b","alert":{"en":{"body":"b"}},"payload":{"aps":{"alert":"c"}}}"#, "payload"),
      (#"{"topic":"a.b","pushType":"background","payload":{"aps":{}}}"#, "payload"),
      (#"{"topic":"a.b"}"#, "alert"), (#"{"topic":"a.b","payload":{"x":1},"prio":5}"#, "prio"),
    ] {
      let error = #expect(throws: RequestProblems.self) { try CampaignDocument(object(bad)) }
      #expect(error?.all.map(\.field) == [field], "\(bad)")
    }
    let equal =
      #"{"topic":"a.b","alert":{"en":{"body":"b"}},"quietHours":{"from":"22:00","to":"22:00"}}"#
    let error = #expect(throws: RequestProblems.self) { try CampaignDocument(object(equal)) }
    #expect(error?.all.map(\.what) == ["the start and end times are equal"])
  }

  @Test(arguments: [
    (
      #""quietHours":{"from":"22:00","to":"08:00","zone":"UTC"}"#,
      "quietHours: unknown member 'zone': expected from and to"
    ),
    (
      #""quietHours":{"from":"22","to":"08:00"}"#,
      "quietHours.from: invalid value '22': expected a time such as 22:00, from 00:00 to 23:59"
    ),
    (
      #""quietHours":{"from":"22:00"}"#,
      "quietHours.to: missing: expected a time such as 08:00, from 00:00 to 23:59"
    ),
    (
      #""quietHours":"22:00-08:00""#,
      "quietHours: invalid value '22:00-08:00': "
        + #"expected an object such as {"from": "22:00", "to": "08:00"}"#
    ),
    (#""priority":11"#, "priority: invalid value '11': expected 10, 5 or 1"),
    (#""priority":9"#, "priority: invalid value '9': expected 10, 5 or 1"),
    (
      #""name":"""#, "name: empty: enter a name, or leave it out to use the first title"
    ),
    (
      #""name":"a\nb""#,
      "name: contains a line break or another control character: use one line of text"
    ),
    (
      #""name":"\#(String(repeating: "n", count: 201))""#,
      "name: 201 bytes are too many: shorten it to 200 bytes"
    ),
    (#""collapseID":"""#, "collapseID: empty: enter an ID, or leave it out"),
    (
      #""at":"2026-11-31T18:00""#,
      "at: 2026-11-31 is not a date: expected a date that exists, such as 2026-11-30T09:00"
    ),
  ])
  func `An invalid time, priority or name is refused with its value or the cause`(
    member: String, problem: String
  ) throws {
    let campaign = try object(#"{"topic":"a.b","alert":{"en":{"body":"b"}},\#(member)}"#)
    let error = #expect(throws: RequestProblems.self) { try CampaignDocument(campaign) }
    #expect(error?.all.map(\.description) == [problem])
  }
}
