import Testing

@testable import Storage

@Suite struct StoreDamageTests {
  @Test func `a damaged row of set_aside might have represented any row`() {
    let damage = StoreDamage()
    #expect(!damage.mayHave(.team("ABCDE12345")))
    #expect(!damage.mayHave(part: "spring", in: ["campaign"]))
    #expect(!damage.has(table: "campaign"))
    // The damaged row's own key, its number, could be read.
    var rows = StoreDamage.Rows()
    rows.add(key: "7")
    damage.replace(with: ["set_aside": rows])
    #expect(damage.mayHave(.team("ABCDE12345")))
    #expect(damage.mayHave(part: "spring", in: ["campaign"]))
    #expect(damage.has(table: "campaign"))
  }

  @Test func `only a row with the searched part of a key might be the damaged row`() {
    let damage = StoreDamage()
    var rows = StoreDamage.Rows()
    rows.add(key: "'spring'\u{1F}3")
    damage.replace(with: ["batch": rows])
    #expect(damage.mayHave(part: "spring", in: ["campaign", "batch"]))
    #expect(!damage.mayHave(part: "autumn", in: ["campaign", "batch"]))
    #expect(!damage.mayHave(part: "spring", in: ["campaign"]))
  }
}
