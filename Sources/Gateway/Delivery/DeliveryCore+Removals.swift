import Storage

/// The tracking of rows that devices have acknowledged and that the store hasn't removed yet.
extension DeliveryCore {
  /// Records that a device acknowledged an entry whose row is on disk or is being committed.
  mutating func noteUnremoved(_ entry: DeliveryEntry) {
    guard let device = devices[entry.key.device] else {
      return assertionFailure("#\(entry.sequence) was acknowledged by a forgotten device")
    }
    if device.unremoved.add(entry.delivery) { removing.waiting.append(device.device) }
  }

  /// Records the start of a commit that removes all rows waiting for removal.
  mutating func beginRemovals() {
    assert(removing.committing.isEmpty, "no other removals are being committed")
    swap(&removing.waiting, &removing.committing)
    for number in removing.committing { devices[number]?.unremoved.beginCommit() }
  }

  /// Resumes sending to the devices that waited for the finished commit.
  mutating func endRemovals(now: Moment) {
    for number in removing.committing {
      guard let device = devices[number] else {
        assertionFailure("device \(number) was forgotten before its rows were removed")
        continue
      }
      device.unremoved.endCommit()
      sendWaiting(on: device, now: now)
      forgetIfIdle(device)
    }
    removing.committing.removeAll(keepingCapacity: true)
    guard stage.hasRemovals else { return forgetUnwritten(now: now) }
    // An entry that was acknowledged while its own row was being committed is removed by the next commit.
    if removing.waiting.contains(where: { devices[$0]?.needsRemovals == true }) {
      stage.makeRemovalsDue(now: now)
    }
  }

  /// Forgets rows that were never written or that a newer row replaced; the store has nothing to remove for them.
  private mutating func forgetUnwritten(now: Moment) {
    guard !removing.waiting.isEmpty else { return }
    beginRemovals()
    endRemovals(now: now)
  }

  /// Asserts the invariants that hold between events.
  func checkUnremoved() {
    assert(
      removing.waiting.isEmpty || stage.isCommitting || stage.hasRemovals,
      "a commit is running or scheduled while rows wait for removal")
    assert(
      Set(removing.waiting).count == removing.waiting.count,
      "every waiting device is listed only once")
    assert(
      Set(removing.waiting)
        == Set(devices.values.filter { $0.unremoved.waiting != nil }.map(\.device)),
      "the list contains exactly the devices with rows waiting for removal")
    assert(
      Set(removing.committing)
        == Set(devices.values.filter { $0.unremoved.committing != nil }.map(\.device)),
      "the list contains exactly the devices with rows being removed")
  }
}
