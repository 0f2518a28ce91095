import Testing

@testable import Gateway

@Suite struct VerificationRoundsTests {
  @Test func `each round contains every connected device once, in bounded parts`() {
    var rounds = VerificationRounds()
    #expect(rounds.next(of: [:]).isEmpty)
    let count = UInt64(2 * Limits.linksVerifiedPerTick + 10)
    var linked = Dictionary(uniqueKeysWithValues: (1...count).map { ($0, SessionID($0)) })
    let first = (0..<3).map { _ in rounds.next(of: linked) }
    #expect(first.allSatisfy { $0.count <= Limits.linksVerifiedPerTick })
    #expect(first.map(\.count).reduce(0, +) == Int(count))
    #expect(Set(first.joined()).count == Int(count))
    // A device that disconnects during a round is left out.
    let begun = rounds.next(of: linked)
    let gone = linked.keys.first { !begun.contains($0) }
    if let gone { linked[gone] = nil }
    let rest = (0..<2).map { _ in rounds.next(of: linked) }
    #expect(begun.count + rest.map(\.count).reduce(0, +) == Int(count) - 1)
  }
}
