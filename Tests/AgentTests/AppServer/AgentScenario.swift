import AppLink
import BelfryWire
import AppWire
import Foundation
import Glibc
import Synchronization
import System
import TestSupport

@testable import Agent

/// A queue of items that arrive from other threads.
///
/// A test can wait for the items in any order.
final class Arrivals<Item: Sendable>: @unchecked Sendable {
  // `@unchecked` is safe because the condition guards the items.
  private let condition = NSCondition()
  private var items: [Item] = []

  func put(_ item: Item) {
    condition.withLock {
      items.append(item)
      condition.broadcast()
    }
  }

  /// Removes the first item for which `read` returns a value, and returns that value.
  ///
  /// Returns nil if no such item arrives within a minute.
  func next<Value>(_ read: (Item) -> Value?) -> Value? {
    let limit = Date(timeIntervalSinceNow: 60)
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

/// An agent on its own thread that gives the test access to the lines of its JSON presenter.
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
      // Keep the test independent of the developer's desktop session.
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

  /// Starts an agent in the folder of a stopped agent.
  ///
  /// A program that another test is starting at the same time holds copies of all descriptors, including the descriptor
  /// of the folder's lock. For this reason, this function retries.
  static func again(
    _ folder: ScratchFolder, grant: GrantPolicy = .all, hasManualClock: Bool = false,
    pendingLimit: Int = 64, log: Log = .silent
  ) throws -> AgentScenario {
    let end = Date(timeIntervalSinceNow: 60)
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

  /// Runs `body` on the agent's thread and waits for its result.
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

  /// Returns the next line with the given event.
  func line(_ event: String) -> JSONObject? {
    lines.next { $0["event"]?.stringValue == event ? $0 : nil }
  }
}

/// A connection to the agent that a test uses to act as an app.
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

  /// Waits for the next event for which `read` returns a value, and returns that value and the question that the event
  /// asks, if any.
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
