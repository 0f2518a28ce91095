import AppWire
import BelfryWire
import Testing

@testable import Agent

@Suite("Names and words of apps beside the agent's own")
struct DisplayNameTests {
  @Test(arguments: [
    ("Burger", "Burger"), ("  Café\tNoir ", "Café Noir"),
    ("Bank\" would like nothing. \"Burger", "Bank' would like nothing. 'Burger"),
    ("“Bank”", "'Bank'"), ("a\u{202E}b\u{2066}c\u{200B}d\u{FEFF}", "abcd"),
    ("one\ntwo\r\n\u{1B}[31mthree\u{0}\u{2028}four", "one two [31mthree four"),
    ("👩‍👩‍👧 Family", "👩‍👩‍👧 Family"), ("נ שלום", "נ שלום"),
  ])
  func `a name stays in its line and its quotation marks`(text: String, expected: String) {
    #expect(DisplayName.clean(text) == expected)
  }

  @Test func `a name has a bound, whatever its letters are made of`() throws {
    let long = try #require(DisplayName.clean(String(repeating: "a b", count: 10_000)))
    #expect(long.unicodeScalars.count <= Limits.displayNameScalars + 1 && long.hasSuffix("…"))
    let marked = try #require(DisplayName.clean("a" + String(repeating: "\u{301}", count: 10_000)))
    #expect(marked.unicodeScalars.count <= Limits.displayNameScalars + 1)
    let exact = String(repeating: "a", count: Limits.displayNameScalars)
    #expect(DisplayName.clean(exact) == exact)
  }

  @Test func `a name without visible characters is rejected`() {
    #expect(DisplayName.clean("") == nil && DisplayName.clean(" \u{200B}\u{0}\n") == nil)
    #expect(DisplayName.cleanReason("") == nil)
  }

  @Test func `a development app that no longer has a name is called by its ID`() {
    let bench = ModelBench()
    func name() -> JSONValue? { bench.command(.apps).answers.first?.rows.first?["name"] }
    bench.connect { $0.name = "Burger" }
    #expect(name() == "Burger")
    bench.connect()
    #expect(name() == .string(ModelBench.burger.text))
  }

  @Test func `texts that describe an app are cleaned when they are read, also from storage`() throws
  {
    let bench = ModelBench(policy: .ask)
    let (connection, _) = bench.connect {
      $0.name = "Burger\"\n"
      $0.locationUsage = "To\nring \"you\"" + String(repeating: "!", count: 10_000)
    }
    bench.ask(connection, .requestLocation(always: false))
    let prompt = try #require(bench.openPrompts.first)
    #expect(prompt.appName == "Burger'")
    guard case .location(let usage) = prompt.subject else {
      Issue.record("unexpected prompt: \(prompt.subject)")
      return
    }
    #expect(usage.hasPrefix("To ring \"you\"!") && usage.count <= Limits.reasonScalars + 1)
    let kept: JSONObject = ["id": "org.example.old", "name": "a\u{7}\"b"]
    #expect(LocalApp(json: kept)?.name == "a'b")
  }
}
