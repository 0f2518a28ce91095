import TestSupport
import Testing

// The tests don't run in sanitized builds, because they would measure the sanitizer rather than the handler.
#if !SANITIZED
  /// Tests that run the fast part of `make check-cost`.
  @Suite(.serialized) struct CostTests {
    @Test(arguments: CostSubject.all)
    func `a byte costs no more at 32 KB than at 4 KB, whatever the input`(_ subject: CostSubject) {
      let row = CostCheck(bound: 32_768, sampleNanoseconds: 1_000_000).row(subject)
      #expect(
        row.isGood,
        "\(row.name): at \(row.worstBytes) bytes, a byte costs \(row.ratio) times as much as at \(row.bytes.small)"
      )
    }
  }
#endif
