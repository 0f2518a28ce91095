import BelfryWire
import PushWire

/// An order that devices of this process are carrying out.
final class PendingOrder {
  /// The part of an order that concerns a device or one of its apps.
  struct Part {
    enum Condition {
      case isOffline
      case isUp
      /// The gateway has read the device's state.
      ///
      /// Since the change, either the link was established again, or the gateway has answered two pings. One ping is
      /// not enough, because it might have been sent before the change.
      case isReported(ups: Int, pongs: Int)
      case isUnregistered(LinkSubject)
      case isRegistered(LinkSubject)
      /// The gateway has confirmed this number of switch changes for the app.
      case isSwitched(LinkSubject, count: Int)
    }

    let condition: Condition
    /// The number of requests for the subject that the gateway had refused when the order was given.
    var refusals = 0
    /// The line to send once the part has been carried out (``VirtualDevice/line(of:)``).
    let line: JSONObject
  }

  /// The progress of a part.
  enum Progress {
    case waiting
    case done
    case refused(String)
  }

  private weak var client: OrderConnection?
  private var parts: [ObjectIdentifier: [Part]] = [:]
  private(set) var isFinished = false

  init(for client: OrderConnection) { self.client = client }

  /// True if the command no longer waits for the order.
  var isAbandoned: Bool { client?.isOpen != true }

  func add(_ parts: [Part], of device: VirtualDevice) {
    self.parts[ObjectIdentifier(device), default: []] += parts
  }

  /// Reports the parts of a device's order that have been carried out; if no parts remain, also reports the order's
  /// completion.
  func check(_ device: VirtualDevice) {
    guard !isFinished, let waiting = parts[ObjectIdentifier(device)] else { return }
    var left: [Part] = []
    for part in waiting {
      switch device.progress(of: part) {
      case .waiting: left.append(part)
      case .done: client?.send(device.line(of: part))
      case .refused(let reason):
        isFinished = true
        client?.finish(
          .init("the gateway refused the order: \(reason)", do: "check the gateway's log"))
        return
      }
    }
    parts[ObjectIdentifier(device)] = left.isEmpty ? nil : left
    guard parts.isEmpty else { return }
    isFinished = true
    client?.finish()
  }
}
