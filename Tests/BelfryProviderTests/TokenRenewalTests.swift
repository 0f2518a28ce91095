import Testing

@testable import BelfryProvider

@Test func `a provider token is made before the first request and again after fifty minutes`() {
  var renewal = TokenRenewal()
  #expect(renewal.isDue(unixSeconds: 1_000))
  renewal.made(unixSeconds: 1_000)
  #expect(!renewal.isDue(unixSeconds: 1_000))
  #expect(!renewal.isDue(unixSeconds: 3_999))
  #expect(renewal.isDue(unixSeconds: 4_000))
}

@Test func `a refused provider token is renewed once`() {
  var renewal = TokenRenewal()
  renewal.made(unixSeconds: 1_000)
  renewal.refused(issuedAt: 1_000)
  #expect(renewal.isDue(unixSeconds: 1_001))
  renewal.made(unixSeconds: 1_001)
  renewal.refused(issuedAt: 1_000)
  #expect(!renewal.isDue(unixSeconds: 1_002), "a late refusal of the old token has no effect")
}

@Test func `a clock that was set back makes a new token`() {
  var renewal = TokenRenewal()
  renewal.made(unixSeconds: 10_000)
  #expect(!renewal.isDue(unixSeconds: 9_990))
  #expect(renewal.isDue(unixSeconds: 9_000))
}
