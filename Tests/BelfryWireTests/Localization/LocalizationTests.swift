import BelfryWire
import Testing

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
    #expect(LocalizedFormat.fill(format, with: arguments) == text)
  }

  @Test
  func `A variable gets its name and the argument that counts`() {
    let text = LocalizedFormat.fill("%@: %#@files@, %1$#@files@", with: ["a", "3"]) {
      name, argument in
      "\(name)=\(argument)"
    }
    #expect(text == "a: files=3, files=a")
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
