import Dispatch
import Synchronization
import System

/// A thread that several clients can share.
///
/// A sender for many apps, each with its own credentials, needs only one group.
///
/// ```swift
/// let group = try ProviderClientGroup()
/// let clients = try configurations.map { try ProviderClient($0, group: group) }
/// ```
///
/// The thread exits when its last client and the last reference to the group are gone.
public final class ProviderClientGroup: Sendable {
  let commands: Mailbox<GroupCommand>
  private let thread: LoopThread
  private let lastNumber = Atomic<UInt64>(0)

  /// Starts the thread.
  ///
  /// `name` is shown in `top -H`, truncated to 15 bytes.
  public init(name: String = "provider") throws(ProviderFailure) {
    do throws(SystemFailure) {
      (thread, commands) = try LoopThread.launch(name: name) {
        loop throws(SystemFailure) -> Mailbox<GroupCommand> in
        let group = ProviderGroupLoop(loop: loop)
        return loop.mailbox(of: GroupCommand.self) { group.receive($0) }
      }
    } catch {
      throw .cannotStart("\(error)")
    }
  }

  deinit {
    commands.post(.end)
    let thread = thread
    // The last reference can be released on the group's own thread, and a thread cannot wait for itself.
    DispatchQueue.global().async { thread.join() }
  }

  /// Adds a client and returns its number.
  func add(_ setup: ProviderLoopSetup) -> ClientNumber {
    let number = ClientNumber(value: lastNumber.add(1, ordering: .relaxed).newValue)
    commands.post(.add(number, setup))
    return number
  }
}

/// The number of a client within its group.
struct ClientNumber: Hashable, Sendable {
  let value: UInt64
}

/// A command for a group's loop.
enum GroupCommand: Sendable {
  case add(ClientNumber, ProviderLoopSetup)
  case client(ClientNumber, ProviderCommand)
  case end
}

/// The clients of a group, on its event loop.
private final class ProviderGroupLoop: TurnEndTarget {
  private let loop: EventLoop
  private var clients: [ClientNumber: ProviderLoop] = [:]
  private var ended: [ClientNumber] = []

  init(loop: EventLoop) { self.loop = loop }

  /// Handles the commands of one turn.
  func receive(_ commands: [GroupCommand]) {
    var current: (number: ClientNumber, client: ProviderLoop)?
    for command in commands {
      switch command {
      case .client(let number, let command):
        if current?.number != number {
          current?.client.advance()
          current = clients[number].map { (number, $0) }
        }
        // A task can cancel a request that a closed client has already completed.
        current?.client.receive(command)
      case .add(let number, let setup):
        assert(clients[number] == nil, "client numbers are unique")
        clients[number] = ProviderLoop(loop: loop, setup) { [unowned self] in remove(number) }
      case .end: loop.atTurnEnd(LoopEnd(loop: loop))
      }
    }
    current?.client.advance()
  }

  /// Releases a client at the end of the current turn, because its connections can still call it until then.
  private func remove(_ number: ClientNumber) {
    assert(clients[number] != nil, "a client is removed only once")
    ended.append(number)
    if ended.count == 1 { loop.atTurnEnd(self) }
  }

  func turnEnded() {
    for number in ended { clients[number] = nil }
    ended = []
  }
}

/// An action that stops the loop at the end of the turn in which the last bytes are written.
private final class LoopEnd: TurnEndTarget {
  private let loop: EventLoop

  init(loop: EventLoop) { self.loop = loop }

  func turnEnded() { loop.stop() }
}
