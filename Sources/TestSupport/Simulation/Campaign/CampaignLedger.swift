import PushWire
import Storage

/// A ledger that checks the promises of a campaign against the pushes that the push service received.
struct CampaignLedger {
  /// A device of the campaign.
  struct Device {
    /// The number of times that the push service accepted a push to the device.
    var accepted = 0
    /// True if the push service permanently refused a push to the device.
    var isRefused = false
    /// True if the campaign received the answer that the service accepted a push to the device.
    var isTold = false
    /// The IDs of the campaign's pushes that the device has stored.
    var arrivals: Set<NotificationID> = []
    /// True if the device can get the campaign twice, because the service answered a push with an internal error and
    /// the campaign has no delivery log.
    var mayRepeat = false
    /// True if the app unregistered, or its token was removed, before the campaign ended.
    var isRemoved = false
  }

  private(set) var devices: [String: Device] = [:]  // text: hexadecimal tokens
  private(set) var submitted = 0

  mutating func add(_ token: String) { devices[token] = Device() }

  mutating func removed(_ token: String) { devices[token]?.isRemoved = true }

  /// Records a push that the campaign hands to its client.
  mutating func submit(
    _ token: String, while state: CampaignRecord.State?, isAllowedNow: Bool
  ) -> String? {
    submitted += 1
    if devices[token] == nil { return "a push was sent to an unknown device" }
    guard state == .running else {
      return "a push was sent while the campaign was \(state.map { "\($0)" } ?? "removed")"
    }
    return isAllowedNow ? nil : "a push was sent to \(token) in its quiet hours"
  }

  /// Records a push that the service accepted.
  mutating func accept(_ token: String) -> String? {
    devices[token]?.accepted += 1
    return devices[token]?.accepted == 1 ? nil : "the device \(token) got the campaign twice"
  }

  /// Records that the campaign received the answer that the service accepted a push.
  mutating func told(_ token: String) {
    devices[token]?.isTold = true
    devices[token]?.accepted = 1
  }

  /// Records that a newer notification replaced a push, which therefore counts as accepted.
  mutating func replaced(_ token: String) { devices[token]?.accepted = 1 }

  /// Records a push that a device with the real agent has stored.
  mutating func arrive(_ token: String, _ id: NotificationID) -> String? {
    devices[token]?.arrivals.insert(id)
    devices[token]?.accepted = 1
    guard let device = devices[token] else { return "a push arrived at an unknown device" }
    return device.arrivals.count == 1 || device.mayRepeat
      ? nil : "the device \(token) got the campaign twice"
  }

  /// Records that the service failed while it handled a push, and that the campaign cannot read the delivery log.
  mutating func interrupted(_ token: String) { devices[token]?.mayRepeat = true }

  /// Records a push that the service permanently refused.
  mutating func refuse(_ token: String) { devices[token]?.isRefused = true }

  /// Compares the outcomes in the store with the recorded events.
  ///
  /// Returns a description of the first discrepancy, or nil if there is no discrepancy.
  func check(
    _ tallies: [CampaignTally], of campaign: CampaignRecord
  ) -> String? {
    func count(_ outcomes: CampaignOutcome...) -> Int {
      Int(tallies.filter { outcomes.contains($0.outcome) }.reduce(0) { $0 + $1.count })
    }
    let got = devices.values.count { $0.accepted > 0 }
    let removed = devices.values.count { $0.isRemoved }
    let refused = devices.values.count { $0.isRefused }
    let accepted = count(.accepted)
    let unknown = count(.unknown)
    // Skip `kept`, because a recipient whose dead token is kept is also counted as dead.
    let all = Int(tallies.reduce(0) { $0 + ($1.outcome == .kept ? 0 : $1.count) })
    if accepted > got { return "\(accepted) devices are counted as accepted, but \(got) were" }
    // A push that got a 500 response might have been accepted. If the token was unregistered before the retry, the
    // recipient is counted as dead.
    let due = devices.values.count { $0.accepted > 0 && !$0.isRefused }
    if due > accepted + unknown + removed {
      return "\(due) devices were accepted, but only \(accepted) are counted"
    }
    if count(.kept) > count(.dead) { return "more tokens are counted as kept than as dead" }
    if count(.dead) > refused {
      return "more tokens are counted as dead than the service reported"
    }
    if all > devices.count { return "\(all) outcomes are counted for \(devices.count) devices" }
    if campaign.state == .completed, all + removed < devices.count {
      return
        "\(all) outcomes are counted for \(devices.count) devices, of which \(removed) were removed"
    }
    return nil
  }
}
