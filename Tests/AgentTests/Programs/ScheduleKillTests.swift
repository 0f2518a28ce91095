import AppLink
import AppWire
import Foundation
import Glibc
import TestSupport
import Testing

/// Tests in which the agent is killed repeatedly at random points.
///
/// Meanwhile, notifications are scheduled and become due, and pushes arrive. The agent is killed `BELFRY_KILLS` times
/// (20 by default).
@Suite("belfry agent, killed at random points", .serialized)
struct ScheduleKillTests {
  /// The test's record of the notifications that it has requested.
  private struct Book {
    /// The due times, in milliseconds on the agent's clock, of the requests that the agent has answered.
    var due: [String: Int64] = [:]
    /// The notifications that the agent must not show again, because they were due or shown before it answered a
    /// request.
    var settled: Set<String> = []
    /// The number of times that each notification was shown.
    var shown: [String: Int] = [:]
    var again: [String] = []

    /// Records the notifications that one run of the agent has shown.
    mutating func close(_ lines: [String], settledBefore: Set<String>) {
      var here: Set<String> = []
      for id in Self.presented(lines) {
        shown[id, default: 0] += 1
        if !here.insert(id).inserted { again.append("\(id) twice in one life") }
        if settledBefore.contains(id) { again.append("\(id) after it was settled") }
      }
    }

    /// Returns the names of the notifications in the lines: the identifier of a local notification, or the text of a
    /// push.
    static func presented(_ lines: [String]) -> [String] {
      lines.compactMap { JSONLine($0) }.filter { $0["event"].string == "presented" }
        .compactMap { $0["trigger"].string == "push" ? $0["body"].string : $0["id"].string }
    }

    /// Records an answer in which the agent reports the time `clock`; `lines` is the output that preceded the request.
    ///
    /// The agent has finished everything that was due by that time.
    mutating func settle(at clock: Int64, shown lines: [String]) {
      for (id, due) in due where due <= clock { settled.insert(id) }
      settled.formUnion(Self.presented(lines))
    }
  }

  /// The pushes of a test's gateway.
  ///
  /// The pushes are numbered, and each is resent until the agent acknowledges it.
  private struct Sender {
    let gateway: LinkGatewayThread
    private var sent: [UInt64] = []
    private var life = -1

    init() throws { gateway = try LinkGatewayThread() }

    /// Sends the next push, after the pushes that remain from an earlier run of the agent.
    ///
    /// This method sends nothing before the link is ready.
    mutating func send(in life: Int) {
      let isFirst = life != self.life
      let known = sent
      let new = UInt64(sent.count + 1)
      let isSent = gateway.with { gateway in
        guard let link = gateway.links.last(where: { $0.isReady && !$0.requests.isEmpty }) else {
          return false
        }
        let left = isFirst ? known.filter { !gateway.settled.contains($0) } : []
        for number in left + [new] {
          let payload = Array(#"{"aps":{"alert":"push \#(number)"}}"#.utf8)
          _ = link.deliver(number, handle: 1, payload: payload, fromStorage: number != new)
        }
        return true
      }
      guard isSent else { return }
      self.life = life
      sent.append(new)
    }

    /// The names of the pushes that the agent has acknowledged.
    var acknowledged: Set<String> { Set(gateway.with(\.settled).map { "push \($0)" }) }
  }

  @Test
  func `no scheduled notification is lost, and none is shown again once it was handled`()
    async throws
  {
    let environment = ProcessInfo.processInfo.environment
    let lives = environment["BELFRY_KILLS"].flatMap { Int($0) } ?? 20
    var dice = Dice(seed: environment["BELFRY_SEED"].flatMap { UInt64($0) } ?? 5)
    try await Scenario.run { scenario in
      var book = Book()
      var sender = try Sender()
      var clock: Int64 = 0
      for life in 0..<lives {
        let agent = try await AgentProgramTests.agent(
          scenario, ["--clock", "manual", "--pending-limit", "10000"], gateway: sender.gateway)
        let settledBefore = book.settled
        let connection = Self.connect(scenario)
        if life == 0 { try Self.register(scenario) }
        // If the agent was killed while the clock was being moved, the clock might be ahead of the last answer.
        clock = try Self.advance(connection, by: 0)
        // Kill the agent at a random point in a random step. Counting steps makes the test independent of the machine's
        // load.
        let lastStep = Int.random(in: 0..<40, using: &dice)
        let delay = UInt32.random(in: 0...10_000, using: &dice)
        var killer: DispatchSemaphore?
        do {
          for step in 0..<1_000 {
            if step == lastStep { killer = Thread.detachKiller(agent, afterMicroseconds: delay) }
            switch Int.random(in: 0..<6, using: &dice) {
            case 0:
              let lines = agent.lines
              clock = try Self.advance(connection, by: .random(in: 0...90_000, using: &dice))
              book.settle(at: clock, shown: lines)
            case 1: sender.send(in: life)
            default:
              let id = "\(life)-\(step)"
              let wait = Int64.random(in: 1...120_000, using: &dice)
              try Self.notify(connection, id, inMilliseconds: wait)
              // The clock moves only on request. A notification might be due even if the answer to its request was
              // lost.
              book.due[id] = clock + wait
            }
          }
        } catch {
          // The agent was killed, and might or might not have stored the last request.
        }
        killer?.wait()
        _ = try await agent.end()
        connection.close()
        book.close(agent.lines, settledBefore: settledBefore)
        try? FileManager.default.removeItem(atPath: scenario.folder.file("agent.json"))
      }
      let agent = try await AgentProgramTests.agent(
        scenario, ["--clock", "manual", "--pending-limit", "10000"])
      let settledBefore = book.settled
      let connection = Self.connect(scenario)
      // Advance the clock past the end of all waits. Only the agent's answers report the time on its clock.
      _ = try Self.advance(connection, by: 24 * 3_600_000)
      connection.close()
      #expect(try await agent.stop() == 0)
      book.close(agent.lines, settledBefore: settledBefore)

      let lost = book.due.keys.filter { book.shown[$0] == nil }
      #expect(lost.isEmpty, "lost, of \(book.due.count): \(lost.prefix(10))")
      #expect(book.again.isEmpty, "\(book.again.prefix(10))")
      // The agent must show every push that the gateway is allowed to discard.
      let taken = sender.acknowledged
      let unseen = taken.filter { book.shown[$0] == nil }
      #expect(unseen.isEmpty, "never shown, of \(taken.count) pushes: \(unseen.prefix(10))")
      #expect(taken.count > lives / 2, "\(taken.count) pushes")
      // A notification that was being shown when the agent was killed is shown once more.
      let twice = book.shown.values.count { $0 > 1 }
      #expect(twice <= lives * 4, "\(twice) of \(book.shown.count) were shown twice")
      #expect(book.due.count > lives)
    }
  }

  /// Registers the app for pushes.
  ///
  /// The app does not have to be connected when the pushes arrive.
  private static func register(_ scenario: Scenario) throws {
    let connection = AppLinkConnection(
      socketPath: scenario.folder.file("agent.sock"), reconnects: false,
      hello: {
        AppHello(role: .app, appID: AgentProgramTests.burger, isDevelopment: true)
      }, handler: { _ in })
    connection.start()
    defer { connection.close() }
    _ = try connection.call(
      .requestAuthorization([.alert, .badge, .sound]), timeoutMilliseconds: 20_000)
    _ = try connection.call(.register(.alert), timeoutMilliseconds: 20_000)
  }

  private static func connect(_ scenario: Scenario) -> AppLinkConnection {
    let connection = AppLinkConnection(
      socketPath: scenario.folder.file("agent.sock"), reconnects: false,
      hello: { AppHello(role: .control, appID: nil) }, handler: { _ in })
    connection.start()
    return connection
  }

  private static func notify(
    _ connection: AppLinkConnection, _ id: String, inMilliseconds wait: Int64
  ) throws {
    var content = NotificationContent()
    content.title = NotificationText("T")
    let request = NotificationRequest(
      id: id, content: content, trigger: .interval(seconds: Double(wait) / 1_000, repeats: false))
    _ = try connection.call(
      .control(.notify(app: "org.example.burger", request)), timeoutMilliseconds: 20_000)
  }

  /// Moves the clock and returns the new time.
  private static func advance(_ connection: AppLinkConnection, by milliseconds: Int64) throws
    -> Int64
  {
    let rows = try connection.call(
      .control(.advanceClock(milliseconds: milliseconds)), timeoutMilliseconds: 60_000
    ).rows
    let text = try #require(rows.first?["time"]?.stringValue)
    let date = try Date(
      text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    return Int64((date.timeIntervalSince1970 * 1_000).rounded())
  }
}

extension Thread {
  /// Starts a thread that kills a program and then signals the returned semaphore.
  fileprivate static func detachKiller(
    _ program: RunningProgram, afterMicroseconds delay: UInt32
  ) -> DispatchSemaphore {
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      // This delay doesn't wait for an event; any point in time is suitable.
      usleep(delay)
      program.signal(SIGKILL)
      done.signal()
    }
    return done
  }
}

/// A generator of repeatable random numbers (SplitMix64).
private struct Dice: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
