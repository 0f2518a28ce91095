import Scheduling
import Testing

@testable import Agent

@Suite("The agent's own words")
struct DeviceWordsTests {
  @Test func `there are catalogues for ten languages and more, each with every key and no other`() {
    #expect(Catalogue.all.count >= 10)
    for (language, catalogue) in Catalogue.all {
      for key in WordKey.allCases {
        let forms = catalogue.texts[key] ?? [:]
        #expect(!forms.isEmpty, "\(language) lacks \(key)")
        #expect(forms.values.allSatisfy { !$0.isEmpty }, "\(language) has no text for \(key)")
        #expect(key.isCount || forms.keys.elementsEqual([.other]), "\(language): \(key)")
      }
    }
  }

  /// Returns the directives in a format, and each percent sign that doesn't begin a directive.
  private func placeholders(_ format: String) -> [String] {
    var found: [String] = []
    var rest = format[...]
    while let percent = rest.firstIndex(of: "%") {
      let directive = rest[percent...].prefix {
        $0 == "%" || $0.isASCII && $0.isLetter || $0 == "@"
      }
      found.append(String(directive))
      rest = rest[rest.index(after: percent)...]
    }
    return found
  }

  @Test func `every text has the placeholders of the English one`() {
    for (language, catalogue) in Catalogue.all {
      for key in WordKey.allCases where !key.isCount {
        let english = placeholders(Catalogue.english.texts[key]?[.other] ?? "")
        #expect(
          placeholders(catalogue.texts[key]?[.other] ?? "") == english, "\(language): \(key)")
      }
    }
  }

  @Test func `a name keeps its direction in a sentence of the other one`() {
    let arabic = DeviceWords(languages: ["ar"])
    #expect(arabic.isRightToLeft)
    #expect(arabic.text(.askNotifications, "C++").contains("\u{2068}C++\u{2069}"))
    let english = DeviceWords.english
    #expect(!english.isRightToLeft)
    #expect(english.text(.askNotifications, "مطبخ").contains("\u{2068}مطبخ\u{2069}"))
    #expect(
      !english.text(.askNotifications, "C++").unicodeScalars.contains { $0.value == 0x2068 })
  }

  /// Returns the plural categories that a language uses for whole numbers.
  private func forms(_ language: String) -> Set<PluralRule.Form> {
    Set((0...1_000).map { PluralRule.form(of: "\($0)", language: language) })
  }

  @Test func `a text that counts has a form for each plural category, with the number`() {
    for (language, catalogue) in Catalogue.all {
      for key in WordKey.allCases where key.isCount {
        let texts = catalogue.texts[key] ?? [:]
        #expect(texts[.other] != nil)
        #expect(forms(language).isSubset(of: texts.keys), "\(language) lacks forms of \(key)")
        for (form, text) in texts {
          // Forms for zero, one, and two can spell out the number; every other form covers several numbers, so it must
          // contain the number.
          let mayOmit = form == .zero || form == .one || form == .two
          let expected = ["%lu"]
          #expect(
            placeholders(text) == expected || mayOmit && placeholders(text).isEmpty,
            "\(language): \(key).\(form)")
          if placeholders(text).isEmpty {
            let numbers = (0...1_000).filter {
              PluralRule.form(of: "\($0)", language: language) == form
            }
            #expect(numbers.count == 1, "\(language): \(key).\(form) covers several numbers")
          }
        }
      }
    }
  }

  @Test(
    arguments: [
      (["de-AT", "en"], "de"), (["ca", "pt-PT"], "pt-BR"), (["pt"], "pt-BR"),
      (["zh-CN"], "zh-Hans"),
      (["zh-Hans-SG"], "zh-Hans"), (["zh-TW", "ja"], "ja"), (["fr_CA"], "en"), (["xx"], "en"),
      ([], "en"), (["en-GB", "de"], "en"), (["ar-EG"], "ar"),
    ] as [([String], String)])
  func `the first of the device's languages that has a catalogue is spoken`(
    languages: [String], language: String
  ) {
    #expect(DeviceWords(languages: languages).language == language)
  }

  @Test func `a number has its language's form`() {
    func count(_ language: String, _ number: Int) -> String {
      DeviceWords(languages: [language]).count(.notificationCount, number)
    }
    #expect(count("en", 1) == "1 notification")
    #expect(count("en", 2) == "2 notifications")
    #expect(count("ru", 21) == "21 уведомление")
    #expect(count("ru", 3) == "3 уведомления")
    #expect(count("ru", 11) == "11 уведомлений")
    #expect(count("pl", 5) == "5 powiadomień")
    #expect(count("ar", 2) == "إشعاران")
    #expect(count("ja", 1) == "1件の通知")
  }

  @Test func `a question names the app in the device's language`() {
    let prompt = Prompt(
      id: PromptID(number: 1), app: ModelBench.burger, appName: "Burger 100%@", icon: nil,
      subject: .notifications)
    #expect(
      prompt.title(DeviceWords(languages: ["de"]))
        == "„Burger 100%@“ möchte dir Mitteilungen senden")
    let notice = DesktopNotice(
      prompt, ServerFeatures(names: ["actions"]), words: DeviceWords(languages: ["it"]))
    #expect(notice.actions == ["allow", "Consenti", "deny", "Non consentire"])
  }

  @Test func `hidden text is replaced by a word in the device's language`() {
    let bench = ModelBench()
    let connection = bench.authorized()
    bench.command(.changeDevice(["languages": "ru"]))
    bench.command(.changeSettings(app: "\(ModelBench.burger)", ["previews": "never"]))
    let effects = bench.ask(connection, .add(ModelBench.request()))
    #expect(effects.presented.map(\.body) == ["Уведомление"])
  }
}
