/// The claims on devices that a process holds.
///
/// A process that loses a claim and claims the device again can still have commits from before the loss. A notification
/// of such a commit has a sequence number below those that the other node assigned in the meantime, although it is
/// newer.
public struct HeldClaims: Sendable {
  private struct Claim {
    let number: Int64
    /// The highest sequence number of the device's rows when this process got the claim.
    let floor: UInt64
  }

  private var claims: [UInt64: Claim] = [:]

  /// Creates an empty table.
  public init() {}

  /// Records a claim with its number, which is the same as before if no other node has claimed the device since.
  public mutating func hold(_ device: UInt64, _ number: Int64, highestSequence: UInt64) {
    assert(number > 0, "the first number of a claim is 1")
    guard claims[device]?.number != number else { return }
    claims[device] = Claim(number: number, floor: highestSequence)
  }

  /// Forgets the claim on a device.
  public mutating func remove(_ device: UInt64) { claims[device] = nil }

  /// Returns the number of each claim on one of `devices`.
  public func numbers(of devices: Set<UInt64>) -> [UInt64: Int64] {
    var numbers: [UInt64: Int64] = [:]
    for device in devices { numbers[device] = claims[device]?.number }
    return numbers
  }

  /// Returns the number of the claim on a device; nil if the process has no claim on it.
  public func number(of device: UInt64) -> Int64? { claims[device]?.number }

  /// Returns the devices for which an operation stores a notification that was numbered before the process claimed the
  /// device.
  public func outdated(_ operations: [StoreOperation]) -> Set<UInt64> {
    var devices: Set<UInt64> = []
    for operation in operations {
      guard case .put(let notification, _) = operation,
        let claim = claims[notification.key.device], notification.sequence < claim.floor
      else { continue }
      devices.insert(notification.key.device)
    }
    return devices
  }
}
