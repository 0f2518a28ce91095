import AppLink
import BelfryWire
import Foundation
import Glibc
import TestSupport
import Testing

/// The agent is killed again and again, wherever it is, while notifications are scheduled and fire:
/// 20 times here, as often as `BELFRY_KILLS` says otherwise.
@Suite("belfry agent, killed at random points", .serialized)
struct ScheduleKillTests {
  /// What a test knows of the notifications that it has asked for.
  private struct Book {
    /// When those are due that the agent has answered for, in milliseconds of its clock.
    var due: [String: Int64] = [:]
    /// Those that were due before an answer of the agent that came after they were shown.
    var settled: Set<String> = []
    /// How often each was shown.
    var shown: [String: Int] = [:]
    var again: [String] = []

    /// Takes in what one life of the agent has shown.
    mutating func close(_ lines: [String], settledBefore: Set<String>) {
      var here: Set<String> = []
      for line in lines.compactMap({ JSONLine($0) }) where line["event"].string == "presented" {
        guard let id = line["id"].string else { continue }
        shown[id, default: 0] += 1
        if !here.insert(id).inserted { again.append("\(id) twice in one life") }
        if settledBefore.contains(id) { again.append("\(id) after it was settled") }
      }
    }

    /// The agent has answered that its clock stands there: all that was due before is dealt with.
    mutating func settle(at clock: Int64) {
      for (id, due) in due where due <= clock { settled.insert(id) }
    }
  }

  @Test("nothing that was scheduled is lost, nothing that was dealt with comes again")
  func kills() async throws {
    let environment = ProcessInfo.processInfo.environment
    let lives = environment["BELFRY_KILLS"].flatMap { Int($0) } ?? 20
    var dice = Dice(seed: environment["BELFRY_SEED"].flatMap { UInt64($0) } ?? 5)
    try await Stage.play { stage in
      var book = Book()
      var clock: Int64 = 0
      for life in 0..<lives {
        let agent = try await AgentProgramTests.agent(stage, ["--clock", "manual"])
        let settledBefore = book.settled
        let connection = Self.connect(stage)
        // A clock that was being moved when the agent was killed stands further on.
        clock = try Self.advance(connection, by: 0)
        let killer = Thread.detachKiller(
          agent, afterMicroseconds: .random(in: 0...40_000, using: &dice))
        do {
          for step in 0..<200 {
            if Int.random(in: 0..<4, using: &dice) == 0 {
              clock = try Self.advance(connection, by: .random(in: 0...90_000, using: &dice))
              book.settle(at: clock)
            } else {
              let id = "\(life)-\(step)"
              let wait = Int64.random(in: 1...120_000, using: &dice)
              try Self.notify(connection, id, inMilliseconds: wait)
              // The clock stands still until it is moved: what was refused an answer may be due.
              book.due[id] = clock + wait
            }
          }
        } catch {
          // Killed: what was asked last may have been kept, or not.
        }
        killer.wait()
        _ = try await agent.end()
        connection.close()
        book.close(agent.lines, settledBefore: settledBefore)
        try? FileManager.default.removeItem(atPath: stage.folder.file("agent.json"))
      }
      let agent = try await AgentProgramTests.agent(stage, ["--clock", "manual"])
      let settledBefore = book.settled
      let connection = Self.connect(stage)
      // Where the clock stands is only known from its answers: all waits end before that.
      _ = try Self.advance(connection, by: 24 * 3_600_000)
      connection.close()
      #expect(try await agent.stop() == 0)
      book.close(agent.lines, settledBefore: settledBefore)

      let lost = book.due.keys.filter { book.shown[$0] == nil }
      #expect(lost.isEmpty, "of \(book.due.count): \(lost.prefix(10))")
      #expect(book.again.isEmpty, "\(book.again.prefix(10))")
      // What was on its way to the screen when the agent was killed is shown once more.
      let twice = book.shown.values.count { $0 > 1 }
      #expect(twice <= lives * 20, "\(twice) of \(book.shown.count)")
      #expect(book.due.count > lives)
    }
  }

  private static func connect(_ stage: Stage) -> AppLinkConnection {
    let connection = AppLinkConnection(
      socketPath: stage.folder.file("agent.sock"), reconnects: false,
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

  /// Moves the clock; gives where it stands.
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
  /// Kills a program from a thread of its own; the semaphore tells when that is done.
  fileprivate static func detachKiller(
    _ program: RunningProgram, afterMicroseconds delay: UInt32
  ) -> DispatchSemaphore {
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      // Not to wait for anything: any point will do.
      usleep(delay)
      program.signal(SIGKILL)
      done.signal()
    }
    return done
  }
}

/// Repeatable numbers (SplitMix64).
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
