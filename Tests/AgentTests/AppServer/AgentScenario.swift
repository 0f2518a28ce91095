import AppLink
import BelfryWire
import Foundation
import Glibc
import Synchronization
import System
import TestSupport

@testable import Agent

/// What comes from other threads, waited for in whatever order a test needs.
final class Arrivals<Item: Sendable>: @unchecked Sendable {
  // `@unchecked` holds because the condition guards the items.
  private let condition = NSCondition()
  private var items: [Item] = []

  func put(_ item: Item) {
    condition.withLock {
      items.append(item)
      condition.broadcast()
    }
  }

  /// The first item that gives a value, taken out; nil after ten seconds.
  func next<Value>(_ read: (Item) -> Value?) -> Value? {
    let limit = Date(timeIntervalSinceNow: 10)
    return condition.withLock {
      while true {
        for (index, item) in items.enumerated() {
          guard let value = read(item) else { continue }
          items.remove(at: index)
          return value
        }
        guard condition.wait(until: limit) else { return nil }
      }
    }
  }

  var all: [Item] { condition.withLock { items } }
}

/// An agent on a thread of its own, with the JSON presenter's lines at hand.
final class AgentScenario: Sendable {
  let folder: ScratchFolder
  let lines = Arrivals<JSONObject>()
  private let thread: LoopThread
  private let orders: Mailbox<@Sendable (AgentDaemon) -> Void>

  var socketPath: String { folder.file("agent.sock") }

  init(
    folder: ScratchFolder? = nil, grant: GrantPolicy = .all, hasManualClock: Bool = false,
    pendingLimit: Int = 64, log: Log = .silent, heldBytes: HeldBytes.Bounds = .init()
  ) throws {
    let folder = try folder ?? ScratchFolder()
    self.folder = folder
    let lines = lines
    let started = Arrivals<Result<Mailbox<@Sendable (AgentDaemon) -> Void>, any Error>>()
    thread = try LoopThread.start(name: "agent") { loop in
      var configuration = AgentConfiguration(
        dataFolder: folder.file("agent"), socketPath: folder.file("agent.sock"), log: log
      ) { line in
        if let object = (try? JSONValue(parsing: line))?.objectValue { lines.put(object) }
      }
      configuration.presenters = [.json]
      // The tester's own desktop is none of the test's business.
      configuration.usesSessionBus = false
      configuration.grant = grant
      configuration.hasManualClock = hasManualClock
      configuration.pendingLimit = pendingLimit
      configuration.heldBytes = heldBytes
      do {
        let daemon = try AgentDaemon(configuration, on: loop)
        started.put(
          .success(
            loop.mailbox(of: (@Sendable (AgentDaemon) -> Void).self) { orders in
              for order in orders { order(daemon) }
            }))
      } catch {
        started.put(.failure(error))
      }
    }
    guard let start = started.next({ $0 }) else {
      throw AgentFailure("the agent did not start")
    }
    switch start {
    case .success(let mailbox): orders = mailbox
    case .failure(let error):
      thread.stop()
      thread.join()
      throw error
    }
  }

  /// An agent on the folder of one that has stopped.
  ///
  /// A program that another test is starting just now holds copies of all descriptors, the folder's
  /// lock among them, until it has started: so this tries again.
  static func again(
    _ folder: ScratchFolder, grant: GrantPolicy = .all, hasManualClock: Bool = false,
    pendingLimit: Int = 64, log: Log = .silent
  ) throws -> AgentScenario {
    let end = Date(timeIntervalSinceNow: 10)
    while true {
      do {
        return try AgentScenario(
          folder: folder, grant: grant, hasManualClock: hasManualClock, pendingLimit: pendingLimit,
          log: log)
      } catch {
        guard Date() < end else { throw error }
        sched_yield()
      }
    }
  }

  /// Does something on the agent's thread and waits for it.
  func with<Value: Sendable>(_ body: @escaping @Sendable (AgentDaemon) -> Value) -> Value? {
    let done = Arrivals<Value>()
    orders.post { done.put(body($0)) }
    return done.next { $0 }
  }

  func stop() {
    _ = with { $0.stop() }
    thread.stop()
    thread.join()
  }

  /// The next line of that event.
  func line(_ event: String) -> JSONObject? {
    lines.next { $0["event"]?.stringValue == event ? $0 : nil }
  }
}

/// An app that a test is.
final class TestApp: Sendable {
  let connection: AppLinkConnection
  let events: Arrivals<AppLinkConnection.Event>

  init(
    _ scenario: AgentScenario, _ id: String = "org.example.burger", state: AppState = .foreground,
    role: AppHello.Role = .app, reconnects: Bool = true
  ) {
    let events = Arrivals<AppLinkConnection.Event>()
    self.events = events
    connection = AppLinkConnection(
      socketPath: scenario.socketPath, reconnects: reconnects,
      hello: {
        AppHello(
          role: role, appID: role == .control ? nil : id, isDevelopment: true, state: state)
      }, handler: { events.put($0) })
    connection.start()
  }

  func close() { connection.close() }

  /// The next event that gives a value, with its question.
  func event<Value>(_ read: (AppEvent) -> Value?) -> (Value, AppLinkQuestion?)? {
    events.next { happening in
      guard case .event(let event, let question) = happening, let value = read(event) else {
        return nil
      }
      return (value, question)
    }
  }

  var welcome: AppWelcome? {
    events.next { if case .connected(let welcome) = $0 { welcome } else { nil } }
  }
}
