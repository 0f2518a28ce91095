internal import Console
internal import Agent
internal import Foundation
internal import Gateway
internal import Synchronization
internal import System

/// The agent of a virtual phone, on its own thread.
///
/// It is the same agent as on a device, but it runs without access to the machine's desktop, buses, and battery.
final class PhoneAgent: Sendable {
  private enum Command: Sendable { case stop }
  private typealias Started = Result<Mailbox<Command>, AdministrationFailure>

  /// The path of the socket to which the phone's apps connect.
  let socket: String
  private let thread: LoopThread
  private let commands: Mailbox<Command>
  private let isStopped = Mutex(false)

  /// Starts an agent whose data is in `folder`.
  ///
  /// `report` receives the lines that `belfry agent --presenter json` prints. The initializer throws errors that the
  /// user can correct.
  init(
    name: String, folder: String, gateway: AgentConfiguration.Gateway, log: Log,
    report: @escaping @Sendable (String) -> Void
  ) throws(AdministrationFailure) {
    // A socket's path is limited to 107 bytes, and the gateway's folder might have a long path.
    let random = SystemRandom.bytes(8).reduce(into: "") { $0 += String($1, radix: 36) }
    let socketFolder = "/tmp/belfry-phone-\(random)"
    let socket = "\(socketFolder)/agent.sock"
    self.socket = socket
    let start = { @Sendable (loop: EventLoop) throws(SystemFailure) -> Started in
      var configuration = AgentConfiguration(
        dataFolder: folder, socketPath: socket, log: log, output: report)
      configuration.presenters = [.json]
      configuration.usesSessionBus = false
      configuration.usesMachineServices = false
      configuration.deviceName = name
      configuration.gateway = gateway
      do throws(AgentFailure) {
        let daemon = try AgentDaemon(configuration, on: loop)
        return .success(
          loop.mailbox(of: Command.self) { _ in
            daemon.stop()
            // One more turn of the loop sends the output that was queued when the agent stopped.
            loop.schedule(afterNanoseconds: 0) { loop.stop() }
          })
      } catch {
        return .failure(AdministrationFailure(.broken, "cannot start the phone", do: "\(error)"))
      }
    }
    let started: (thread: LoopThread, value: Started)
    do throws(SystemFailure) {
      started = try LoopThread.launch(name: "phone", start)
    } catch {
      throw AdministrationFailure(.broken, "cannot start the phone", do: "\(error)")
    }
    thread = started.thread
    do throws(AdministrationFailure) {
      commands = try started.value.get()
    } catch {
      started.thread.stop()
      started.thread.join()
      throw error
    }
  }

  deinit { stop() }

  /// Stops the agent gracefully, and waits until it has stopped.
  func stop() {
    let isFirst = isStopped.withLock { isStopped in
      defer { isStopped = true }
      return !isStopped
    }
    guard isFirst else { return }
    commands.post(.stop)
    thread.join()
    try? FileManager.default.removeItem(atPath: FileSystem.parent(of: socket))
  }
}
