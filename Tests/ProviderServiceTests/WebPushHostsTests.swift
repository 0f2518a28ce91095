import BelfryProvider
import BelfryWire
import Testing

@testable import ProviderService

/// Tests of the decision whether a message can be sent to a Web Push service.
@Suite struct WebPushHostsTests {
  private static let second: Int64 = 1_000_000_000

  /// A table with short calls, which checks the invariants after each event.
  private final class Bench {
    var hosts = WebPushHosts()

    func begin(_ host: String, _ endpoint: String = "e", at seconds: Int64 = 0) -> Bool {
      hosts.begin(UTF8Text(host), endpoint: UTF8Text(endpoint), at: seconds * second)
    }

    func end(
      _ host: String, of endpoint: String = "e", _ ending: WebPushHosts.Ending,
      at seconds: Int64 = 0
    ) {
      hosts.end(
        UTF8Text(host), endpoint: UTF8Text(endpoint), ending, at: seconds * second, random: .max)
      hosts.checkInvariants()
    }
  }

  @Test func `A service that does not respond is tried again with one message after a pause`() {
    let bench = Bench()
    for _ in 0..<3 { #expect(bench.begin("a")) }
    for _ in 0..<3 { bench.end("a", .silent, at: 15) }
    #expect(!bench.begin("a", at: 16))
    #expect(bench.begin("b", at: 16), "another service is not affected")
    #expect(bench.begin("a", at: 20))
    #expect(!bench.begin("a", at: 20), "one message is enough for a test")
    bench.end("a", .silent, at: 35)
    // The second pause is longer than the first one.
    #expect(!bench.begin("a", at: 39))
    #expect(bench.begin("a", at: 46))
    bench.end("a", .answered(overloadedSeconds: nil), at: 46)
    for _ in 0..<3 { #expect(bench.begin("a", at: 46)) }
  }

  @Test func `Retry-After holds back the service with 503, and only the subscription with 429`() {
    let bench = Bench()
    #expect(bench.begin("a"))
    bench.end("a", .answered(overloadedSeconds: 60))
    #expect(!bench.begin("a", at: 59))
    #expect(bench.begin("a", at: 60))
    bench.end("a", .answered(overloadedSeconds: nil), at: 60)
    #expect(bench.begin("a", "one", at: 60))
    bench.end("a", of: "one", .limited(seconds: 30), at: 60)
    #expect(!bench.begin("a", "one", at: 89))
    #expect(bench.begin("a", "two", at: 61))
    #expect(bench.begin("a", "one", at: 90))
    // A service cannot hold back a campaign for longer than a few minutes.
    bench.end("a", of: "one", .limited(seconds: .max), at: 90)
    #expect(bench.begin("a", "one", at: 90 + Limits.retryAfterSecondsMax))
  }

  @Test func `Services that never respond leave connections for the others`() {
    let bench = Bench()
    #expect(bench.begin("good"))
    bench.end("good", .answered(overloadedSeconds: nil))
    for number in 0..<Limits.untestedHostsMax { #expect(bench.begin("slow\(number)")) }
    #expect(!bench.begin("next"))
    #expect(bench.begin("good"))
    bench.end("slow0", .silent, at: 15)
    #expect(bench.begin("next", at: 15))
  }

  @Test func `The table has a limited size, and keeps the services with pending messages`() {
    let bench = Bench()
    bench.hosts = WebPushHosts(countMax: 2)
    #expect(bench.begin("a"))
    #expect(bench.begin("b", at: 1))
    #expect(!bench.begin("c", at: 2))
    bench.end("b", .answered(overloadedSeconds: nil), at: 3)
    #expect(bench.begin("c", at: 4))
    bench.end("a", .answered(overloadedSeconds: nil), at: 5)
  }

  @Test func `The results of a client are read as its service meant them`() {
    func refused(_ status: Int, _ seconds: Int64?) -> Result<WebPushOutcome, WebPushFailure> {
      .success(
        .rejected(.init(status: status, reason: "", message: "", retryAfterSeconds: seconds)))
    }
    #expect(WebPushHosts.Ending(refused(429, 5)) == .limited(seconds: 5))
    #expect(WebPushHosts.Ending(refused(503, 5)) == .answered(overloadedSeconds: 5))
    #expect(WebPushHosts.Ending(refused(410, 5)) == .answered(overloadedSeconds: nil))
    #expect(WebPushHosts.Ending(.failure(.failed(.timedOut(seconds: 15)))) == .silent)
    #expect(
      WebPushHosts.Ending(.failure(.failed(.unreachable(endpoint: "a", reason: "b")))) == .silent)
    #expect(WebPushHosts.Ending(.failure(.invalid(.keysMissing))) == .other)
  }
}
