import Testing

@testable import Storage

/// Tests of the summary with which a start finds notifications that had ended.
@Suite struct LiveDigestTests {
  private func digest(_ positions: [UInt64]) -> LiveDigest {
    var digest = LiveDigest()
    for position in positions { digest.add(position) }
    return digest
  }

  @Test func `A summary is written and read without a change`() {
    let digest = digest([1, 5, 1 << 40])
    var bytes: [UInt8] = []
    digest.append(to: &bytes)
    #expect(LiveDigest(bytes) == digest)
    #expect(LiveDigest([]) == nil)
  }

  @Test func `Up to three notifications per group that had ended are identified`() {
    let stored = (1...2_000).map { UInt64($0) * 3 }
    let bucket = LiveDigest.bucket(1)
    let ended = (1...9_000).map { UInt64($0) }.filter {
      $0 % 3 != 0 && LiveDigest.bucket($0) == bucket
    }
    for count in 1...3 {
      let revived = Array(ended.prefix(count))
      let present = stored + revived
      let found = digest(stored).explain(digest(present), present: present, lost: [])
      #expect(found == LiveDigest.Explanation(revived: revived))
    }
    let present = stored + ended.prefix(5)
    let found = digest(stored).explain(digest(present), present: present, lost: [])
    #expect(found == LiveDigest.Explanation(unexplained: [bucket]))
  }

  @Test func `A lost notification does not hide one that had ended`() throws {
    let stored = (1...2_000).map { UInt64($0) * 3 }
    let bucket = LiveDigest.bucket(1)
    let lost = try #require(stored.first { LiveDigest.bucket($0) == bucket })
    let present = stored.filter { $0 != lost } + [1]
    // The position of the lost record is known.
    var found = digest(stored).explain(digest(present), present: present, lost: [lost])
    #expect(found == LiveDigest.Explanation(revived: [1]))
    // The position is unknown. As many notifications are present as should be, but at least one of them had ended.
    found = digest(stored).explain(digest(present), present: present, lost: [])
    #expect(found == LiveDigest.Explanation(unexplained: [bucket]))
    // If notifications were only lost, nothing is set aside.
    found = digest(stored).explain(digest(Array(present.dropLast())), present: present, lost: [])
    #expect(found == LiveDigest.Explanation())
  }
}
