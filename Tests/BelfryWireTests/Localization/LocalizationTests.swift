import Testing

@testable import Scheduling

@Suite struct LocalizedFormatTests {
  @Test(
    arguments: [
      ("%@ and %@", ["a", "b"], "a and b"), ("%2$@ %1$@", ["a", "b"], "b a"),
      ("%d of %lu", ["1", "2"], "1 of 2"), ("100 %% %@", ["x"], "100 % x"),
      ("%@ %@", ["only"], "only "), ("50 % off", [], "50 % off"), ("%", [], "%"),
      ("%0$@", ["a"], "%0$@"), ("%.2f km", ["3.14"], "3.14 km"), ("%#@n@", ["4"], "4"),
      ("%999999999999999999999$@", ["a"], "%999999999999999999999$@"),
    ] as [(String, [String], String)])
  func `Directives take the next argument or the one that they name`(
    _ format: String, _ arguments: [String], _ text: String
  ) {
    #expect(LocalizedFormat.fill(format, with: arguments) == .init(text))
  }

  /// Returns variables whose forms are the same for every number.
  private func variables(_ forms: [String: String]) -> PluralVariables {
    PluralVariables(
      forms.mapValues { ["NSStringFormatSpecTypeKey": "NSStringPluralRuleType", "other": $0] })
  }

  @Test
  func `A form takes the argument that it counts, then those of the text`() {
    let variables = variables(["files": "%d files of %2$@", "all": "%#@files@ in %3$@"])
    func fill(_ format: String, _ arguments: [String]) -> String {
      LocalizedFormat.fill(format, with: arguments, variables: variables).text
    }
    #expect(fill("%#@files@!", ["3", "Ann"]) == "3 files of 3!")
    #expect(fill("%@: %#@files@, %1$#@files@", ["a", "3"]) == "a: 3 files of a, %d files of a")
    #expect(fill("%2$#@all@", ["a", "3"]) == "3 files of 3 in 3")
    #expect(fill("%#@none@", ["4"]) == "4")
  }

  @Test
  func `A text that names a long argument often is cut at its limit, between two scalars`() {
    let format = String(repeating: "%1$@,", count: 60_000)
    let filled = LocalizedFormat.fill(
      format, with: [String(repeating: "é", count: 10_000)], limit: 60_000)
    #expect(filled.isCut)
    // The result contains two arguments of 20,000 bytes with their commas, and as much of the third argument as fits.
    #expect(filled.text.utf8.count == 60_000)
    #expect(!filled.text.unicodeScalars.contains("\u{FFFD}"))
    let odd = LocalizedFormat.fill("%@", with: ["é€"], limit: 4)
    #expect(odd == .init(text: "é", isCut: true))
    #expect(LocalizedFormat.fill("€", with: [], limit: 3) == .init("€"))
    #expect(LocalizedFormat.fill("%@%%", with: ["€"], limit: 3) == .init(text: "€", isCut: true))
    #expect(LocalizedFormat.fill("%@", with: ["€"], limit: 3) == .init("€"))
  }

  @Test
  func `Plural forms that name each other end when as much was read of them as a text may have`() {
    let names = String(repeating: "%#@a@", count: 12)
    let filled = LocalizedFormat.fill("%#@a@", with: [""], variables: variables(["a": names]))
    #expect(filled.isCut)
    #expect(filled.text.isEmpty, "the innermost forms use their argument, which is empty")
    // A format with only a few levels is filled completely.
    let few = LocalizedFormat.fill(
      "%#@a@", with: ["3"], variables: variables(["a": "%#@b@%#@b@", "b": "%#@c@", "c": "%d"]))
    #expect(few == .init("33"))
  }

  @Test
  func `A long argument is no number`() {
    let digits = String(repeating: "1", count: 100)
    #expect(LocalizedFormat.fill("%d %@", with: [digits, "x"]).text == "%d \(digits)")
  }
}

@Suite struct PluralRuleTests {
  @Test(
    arguments: [
      ("en", "1", .one), ("en", "0", .other), ("en", "2", .other), ("fr", "0", .one),
      ("fr", "1", .one), ("fr", "2", .other), ("fr", "1.5", .one), ("ja", "1", .other),
      ("ru", "1", .one), ("ru", "11", .many), ("ru", "21", .one), ("ru", "22", .few),
      ("ru", "12", .many), ("pl", "1", .one), ("pl", "21", .many), ("pl", "23", .few),
      ("cs", "3", .few), ("cs", "1.5", .many), ("ar", "0", .zero), ("ar", "2", .two),
      ("ar", "103", .few), ("ar", "111", .many), ("ar", "100", .other), ("he", "2", .two),
      ("lv", "0", .zero), ("lv", "21", .one), ("sl", "102", .two), ("ro", "119", .few),
      ("de-AT", "1", .one), ("pt-BR", "0", .one), ("en", "-1", .one), ("en", "word", .other),
      ("cy", "6", .many), ("ga", "7", .many), ("mt", "11", .many), ("lt", "21", .one),
    ] as [(String, String, PluralRule.Form)])
  func `Languages choose their form`(_ language: String, _ number: String, _ form: PluralRule.Form)
  {
    #expect(PluralRule.form(of: number, language: language) == form)
  }
}
