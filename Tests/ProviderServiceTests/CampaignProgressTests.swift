import BelfryWire
import Synchronization
import Testing

@testable import ProviderService
@testable import Transport

@Suite struct CampaignProgressTests {
  private static func status(_ sent: Int64, _ state: String = "running") -> JSONObject {
    ["state": .string(state), "devices": 1_000, "sent": .integer(sent), "unknown": 0]
  }

  @Test func `the rate is that of the last seconds, and says how long the rest takes`() {
    var rate = ProgressRate()
    #expect(rate.add(Self.status(0), at: 0)["perSecond"] == .null)
    let first = rate.add(Self.status(100), at: 1_000_000_000)
    #expect(first["perSecond"] == .double(100) && first["secondsLeft"] == 9)
    // The half minute without progress does not affect the rate.
    let later = rate.add(Self.status(100), at: 31_000_000_000)
    #expect(later["perSecond"] == .null, "one sample within the window gives no rate")
    let again = rate.add(Self.status(150), at: 32_000_000_000)
    #expect(again["perSecond"] == .double(50) && again["secondsLeft"] == 17)
    let held = rate.add(Self.status(150, "paused"), at: 33_000_000_000)
    #expect(held["perSecond"] == .null && held["secondsLeft"] == .null && held["done"] == 150)
    #expect(rate.add(Self.status(160), at: 34_000_000_000)["perSecond"] == .double(10))
  }

  @Test func `a campaign that a problem stops has no remaining time, and no rate of before`() {
    var rate = ProgressRate()
    func status(_ sent: Int64, problem: JSONValue) -> JSONObject {
      var status = Self.status(sent)
      status["problem"] = problem
      return status
    }
    _ = rate.add(status(0, problem: .null), at: 0)
    let sending = rate.add(status(100, problem: .null), at: 1_000_000_000)
    #expect(sending["perSecond"] == .double(100) && sending["secondsLeft"] == 9)
    for seconds: Int64 in 2...4 {
      let stopped = rate.add(
        status(100, problem: "cannot connect"), at: seconds * 1_000_000_000)
      let expected: JSONValue = seconds == 2 ? .null : .double(0)
      #expect(stopped["perSecond"] == expected, "\(stopped)")
      #expect(stopped["secondsLeft"] == .null, "\(stopped)")
    }
    // A problem that only slows the campaign down has a rate of its own.
    let slow = rate.add(status(110, problem: "many tokens are bad"), at: 7_000_000_000)
    #expect(slow["perSecond"] == .double(2) && slow["secondsLeft"] == 445, "\(slow)")
    let solved = rate.add(status(110, problem: .null), at: 8_000_000_000)
    #expect(solved["perSecond"] == .null && solved["secondsLeft"] == .null, "\(solved)")
  }

  @Test func `the rate is at most the campaign's limit, although outcomes are stored in batches`() {
    var rate = ProgressRate()
    func status(_ sent: Int64) -> JSONObject {
      var status = Self.status(sent)
      status["rate"] = 1
      return status
    }
    _ = rate.add(status(0), at: 0)
    let next = rate.add(status(5), at: 1_000_000_000)
    #expect(next["perSecond"] == .double(1) && next["secondsLeft"] == 995)
  }

  @Test func `a watcher gets what has changed, and the end`() throws {
    let current = Mutex(Self.status(1))
    let progress = CampaignProgress(now: { 0 }) { _ in current.withLock { $0 } }
    let stream = try progress.follow("c1")
    func events() -> [JSONObject] {
      String(decoding: stream.next().bytes, as: UTF8.self).split(separator: "\n\n").compactMap {
        $0.hasPrefix("data: ")
          ? (try? JSONValue(parsing: Array($0.dropFirst(6).utf8)))?.objectValue : nil
      }
    }
    #expect(events().map { $0["done"] } == [1])
    current.withLock { $0 = Self.status(5) }
    #expect(progress.turn())
    #expect(events().map { $0["done"] }.last == 5)
    current.withLock { $0 = Self.status(1_000, "completed") }
    #expect(!progress.turn(), "no stream is watching any longer")
    let last = stream.next()
    #expect(String(decoding: last.bytes, as: UTF8.self).contains(#""state":"completed""#))
    #expect(last.isLast)
  }
}
