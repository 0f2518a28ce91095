public import PushWire

/// The handling of notifications that devices discard, either permanently or only until they have room.
extension DeliveryCore {
  /// Handles a device's report that it discarded the notification with this sequence number.
  public mutating func discarded(
    _ device: UInt64, session: SessionID, sequence: UInt64, _ reason: LinkDiscardReason,
    now: Moment
  ) {
    guard let delivery = devices[device], delivery.session == session,
      let entry = delivery.queue.acknowledge(sequence)
    else { return }
    if reason == .noRoom {
      delivery.room = .none(untilNanoseconds: now.nanoseconds + Limits.noRoomPauseNanoseconds)
      paused.insert(device)
      if !entry.isEnded { waitForRoom(entry, on: delivery, now: now) }
    } else if case .transient = entry.state {
      effects.append(.record(state(of: entry, discardedFor: reason), entry))
      entry.advance(to: .ended)
      takeBackReplacement(by: entry, on: delivery)
    } else if !entry.isEnded {
      finish(entry, as: state(of: entry, discardedFor: reason), now: now)
    }
    sendWaiting(on: delivery, now: now)
  }

  private func state(
    of entry: DeliveryEntry, discardedFor reason: LinkDiscardReason
  ) -> DeliveryState {
    if reason == .disabled {
      return entry.isFromStore ? .discardedDisabledFromStorage : .discardedDisabled
    }
    return entry.isFromStore ? .discardedUnregisteredFromStorage : .discardedUnregistered
  }

  /// Requeues an entry that the device had no room for; gives up the entry if it has no row and won't get one.
  private mutating func waitForRoom(
    _ entry: DeliveryEntry, on device: DeviceDelivery, now: Moment
  ) {
    switch entry.state {
    case .transient:
      giveUp(entry)
      return takeBackReplacement(by: entry, on: device)
    case .rowLost(let reason):
      effects.append(.record(reason.state, entry))
      return entry.advance(to: .ended)
    case .stored:
      effects.append(.record(.storedNoRoom, entry))
    case .staged:
      stage.makeDue(entry, now: now)
    case .keptByChannel:
      guard let broadcast = entry.broadcast, channels[broadcast.channel]?.newest === broadcast
      else {
        effects.append(.record(.replaced, entry))
        return entry.advance(to: .ended)
      }
      // If the device had no room for the channel's previous message, that message is still queued; the new one
      // replaces it.
      dropUnsent(of: broadcast.channel, on: device, as: .replaced)
      effects.append(.record(.storedNoRoom, entry))
    case .committing:
      break
    case .superseded, .withdrawn, .endedCommitting, .ended:
      return assertionFailure("#\(entry.sequence) was in flight in the state \(entry.state)")
    }
    // A device without room is like an offline device: its queued entries count against the app's `keep`.
    entry.isExemptFromKeep = false
    entry.isRepetition = true
    device.queue.wait(entry)
  }

  /// Sends one notification to each device whose pause has ended, to check whether the device has room again.
  mutating func tryPaused(now: Moment) {
    for number in paused.sorted() {
      guard let device = devices[number], case .none(let end) = device.room,
        end <= now.nanoseconds
      else { continue }
      paused.remove(number)
      device.room = .unknown
      device.queue.markWaitingAsWaited()
      sendWaiting(on: device, now: now)
    }
  }
}
