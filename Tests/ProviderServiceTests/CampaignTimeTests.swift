import BelfryProvider
import BelfryWire
import Storage
import Synchronization
import Testing

@testable import ProviderService

/// Tests of campaigns whose time has passed, which nobody expects to be sent immediately.
@Suite struct CampaignTimeTests {
  /// The number of pushes that were sent.
  private final class PushCount: Sendable {
    private let count = Mutex(0)

    var value: Int { count.withLock { $0 } }
    func add() { count.withLock { $0 += 1 } }
  }

  private let test: TestRegistry
  private let campaigns: CampaignService
  private let time: TestClock
  private let pushes: PushCount

  /// The start time: 2026-11-24T12:00:00Z, which is 07:00 in New York and 21:00 in Tokyo.
  private static let start: Int64 = 1_795_521_600_000

  init() throws {
    test = try TestRegistry()
    let time = TestClock()
    time.milliseconds = Self.start
    self.time = time
    let pushes = PushCount()
    self.pushes = pushes
    let clock = CampaignClock(log: .silent) {
      ((time.milliseconds - Self.start) * 1_000_000, time.milliseconds)
    }
    campaigns = CampaignService(registry: test.registry, log: .silent, clock: clock) {
      PushService(
        submit: { push, done in
          pushes.add()
          done(.success(.accepted(.init(id: push.id ?? "", uniqueID: nil))))
        }, log: nil, environment: .sandbox)
    }
    try test.register(["deviceToken": "01", "timeZone": "America/New_York"])
    try test.register(["deviceToken": "02", "timeZone": "Asia/Tokyo"])
  }

  private func document(_ at: String? = nil) -> JSONObject {
    var object: JSONObject = [
      "topic": "com.example.app", "alert": ["en": ["title": "Hello"]],
    ]
    object["at"] = at.map { .string($0) }
    return object
  }

  private func refusal(_ body: () throws -> Void) -> String? {
    do {
      try body()
      return nil
    } catch let failure as CampaignService.Failure {
      return failure.text
    } catch {
      return "\(error)"
    }
  }

  @Test(arguments: ["2026-11-24T11:58Z", "2026-11-24T13:58+02:00", "2026-11-24T06:58"])
  func `A time that has passed for every device is refused`(at: String) throws {
    let problem =
      "at: invalid value '\(at)': the time has passed for every device; specify a later time, or omit the time to "
      + "send the campaign now"
    #expect(
      refusal { _ = try campaigns.add(document(at), audience: .all, rate: nil) } == problem)
    #expect(try test.store.campaignIDs().isEmpty)
    let preview = try campaigns.preview(document(at), audience: .all)
    #expect(preview.problems.map(\.description) == [problem] && preview.warnings.isEmpty)
    // An edit is refused, too, and leaves the campaign scheduled.
    let id = try campaigns.add(document("2026-11-25T09:00Z"), audience: .all, rate: nil).id
    #expect(try campaigns.resume(id).state == .scheduled)
    #expect(refusal { _ = try campaigns.edit(id, .init(document: document(at))) } == problem)
    #expect(try campaigns.status(id)["state"] == "scheduled")
    #expect(try campaigns.status(id)["at"] == "2026-11-25T09:00Z")
    #expect(pushes.value == 0)
  }

  @Test(arguments: ["2026-11-24T11:59:30Z", "2026-11-24T08:00", "2026-11-24T12:00Z"])
  func `A time of this minute, or one that has passed only in some zones, is not refused`(
    at: String
  ) throws {
    let id = try campaigns.add(document(at), audience: .all, rate: nil).id
    let preview = try campaigns.preview(id)
    #expect(preview.problems.isEmpty && preview.startsInSeconds == 0)
    let late = preview.warnings.filter { $0.hasPrefix("the time has already passed for ") }
    #expect(late.isEmpty == at.hasSuffix("12:00Z"))
    #expect(try campaigns.resume(id).state == .running)
    campaigns.drain()
  }

  @Test func `A draft whose time has passed is not sent until it loses the time`() throws {
    let id = try campaigns.add(document("2026-11-25T09:00Z"), audience: .all, rate: nil).id
    time.milliseconds = Self.start + 48 * 3_600_000
    #expect(
      refusal { _ = try campaigns.resume(id) }
        == "cannot send campaign \(id): its time (2026-11-25T09:00Z) has passed for every device: "
        + "edit the campaign to set a later time, or copy it: a copy has no time")
    // The rest of the draft can be changed, because an edit sends nothing.
    #expect(try campaigns.edit(id, .init(document: document())).state == .draft)
    #expect(try campaigns.status(id)["state"] == "draft" && pushes.value == 0)
    #expect(try campaigns.preview(id).problems.map(\.field) == ["at"])
    var object = document()
    object["at"] = .null
    #expect(try campaigns.edit(id, .init(document: object)).state == .draft)
    #expect(try campaigns.resume(id).state == .running)
    #expect(try campaigns.preview(id).problems.isEmpty)
    campaigns.drain()
  }

  @Test func `The devices of a draft are not counted, even if it was scheduled`() throws {
    let id = try campaigns.add(document("2026-11-25T09:00Z"), audience: .all, rate: nil).id
    #expect(try campaigns.status(id)["devices"] == .null)
    _ = try campaigns.resume(id)
    #expect(try campaigns.status(id)["devices"] == 2)
    _ = try campaigns.edit(id, .init(document: document(), isHeld: true))
    #expect(try campaigns.status(id)["state"] == "draft")
    #expect(try campaigns.status(id)["devices"] == .null)
    #expect(try campaigns.list().map { $0["devices"] } == [.null])
  }
}
