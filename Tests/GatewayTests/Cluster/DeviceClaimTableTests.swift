import BelfryWire
import PushWire
import Storage
import Testing
import Transport

@testable import Gateway

@Suite struct DeviceClaimTableTests {
  private func push(
    _ device: UInt64 = 7, number: UInt64 = 1, forwards: Int = 0
  ) -> DeviceClaimTable.ClaimedPush {
    DeviceClaimTable.ClaimedPush(
      submission: Submission(
        key: NotificationKey(device: device, app: 1, kind: 1), generation: 0,
        id: NotificationID(high: 0, low: number), uniqueID: NotificationID(high: 1, low: number),
        expiration: 1_000, priority: 10, pushType: .alert, collapseID: [], payload: [],
        acceptedMilliseconds: 0, keep: 1,
        reply: ReplyAddress(front: Route(loop: 0), connection: 1, stream: Int32(number))),
      forwards: forwards)
  }

  private func state(_ device: UInt64 = 7) -> DeviceClaimResult {
    .held(
      ClaimedDevice(
        device: DeviceRecord(
          number: device, keyHash: SHA256.hash([1]), name: "", enrolledMilliseconds: 0),
        registrations: [], subscriptions: [], highestSequence: 0))
  }

  /// Returns the actions as short words, in order.
  private func words(_ actions: [DeviceClaimTable.Action]) -> [String] {
    actions.map { action in
      switch action {
      case .claim(let request):
        "claim \(request.device) \(request.mode)\(request.hasLink ? " link" : "")"
      case .load(let device): "load \(device.device.number)"
      case .accept(let submission), .decide(let submission): "accept \(submission.id.low)"
      case .forward(let push, let node): "forward \(push.submission.id.low) to \(node)"
      case .refuse(let submission): "refuse \(submission.id.low)"
      case .attach(let link, _): "attach \(link)"
      case .close(let link): "close \(link)"
      case .closeLinks(let device): "closeLinks \(device)"
      case .revoke(let device, _): "revoke \(device)"
      case .forget(let device): "forget \(device)"
      }
    }
  }

  private func held(_ device: UInt64 = 7) -> DeviceClaimTable {
    var table = DeviceClaimTable(own: 1)
    _ = table.submit(push(device))
    _ = table.finish(device, state(device))
    return table
  }

  @Test func `pushes wait until their device is claimed, and are then accepted in order`() {
    var table = DeviceClaimTable(own: 1)
    #expect(words(table.submit(push(number: 1))) == ["claim 7 ifFree"])
    #expect(words(table.submit(push(number: 2))) == [])
    table.checkInvariants()
    #expect(words(table.finish(7, state())) == ["load 7", "accept 1", "accept 2"])
    #expect(words(table.submit(push(number: 3))) == ["accept 3"])
    table.checkInvariants()
  }

  @Test func `a push for another node's device is forwarded, at first after the store's answer`() {
    var table = DeviceClaimTable(own: 1)
    _ = table.submit(push(number: 1))
    #expect(words(table.finish(7, .elsewhere(3))) == ["forward 1 to 3"])
    #expect(words(table.submit(push(number: 2))) == ["forward 2 to 3"])
    table.checkInvariants()
  }

  @Test func `a push that its owner does not answer makes this node claim the device`() {
    var table = DeviceClaimTable(own: 1)
    _ = table.submit(push(number: 1))
    _ = table.finish(7, .elsewhere(3))
    #expect(
      words(table.forwardFailed(push(number: 1, forwards: 1), isOnce: false)) == ["claim 7 take"])
    #expect(words(table.finish(7, state())) == ["load 7", "accept 1"])
    table.checkInvariants()
  }

  @Test func `a push without storage is refused if the device's owner does not answer`() {
    var table = DeviceClaimTable(own: 1)
    _ = table.submit(push(number: 1))
    _ = table.finish(7, .elsewhere(3))
    #expect(words(table.forwardFailed(push(number: 1, forwards: 1), isOnce: true)) == ["refuse 1"])
    // The next push asks the store again, because the owner might have ended.
    #expect(words(table.submit(push(number: 2))) == ["claim 7 ifFree"])
    table.checkInvariants()
  }

  @Test func `a push follows its device to two further nodes, and then claims it`() {
    var table = DeviceClaimTable(own: 1)
    _ = table.submit(push(number: 1))
    _ = table.finish(7, .elsewhere(3))
    var moving = push(number: 1)
    moving.forwards = 1
    #expect(words(table.moved(moving, to: 4, isOnce: false)) == ["forward 1 to 4"])
    moving.forwards = 2
    #expect(words(table.moved(moving, to: 5, isOnce: false)) == ["claim 7 take"])
    table.checkInvariants()
  }

  @Test func `a connection takes its device from any node`() {
    var table = DeviceClaimTable(own: 1)
    #expect(words(table.connect(7, link: 1)) == ["claim 7 take link"])
    #expect(words(table.finish(7, state())) == ["load 7", "attach 1"])
    table.checkInvariants()
  }

  @Test func `a connection during a weaker claim takes the device afterward`() {
    var table = DeviceClaimTable(own: 1)
    _ = table.submit(push(number: 1))
    #expect(words(table.connect(7, link: 1)) == [])
    #expect(words(table.finish(7, .elsewhere(3))) == ["claim 7 take link"])
    #expect(words(table.finish(7, state())) == ["load 7", "accept 1", "attach 1"])
    table.checkInvariants()
  }

  @Test func `a lost claim on a connected device is reclaimed; on another one, forgotten`() {
    var connected = held()
    #expect(words(connected.lost(7, hasLink: true)) == ["claim 7 reclaim link"])
    #expect(words(connected.finish(7, state())) == ["load 7"])
    connected.checkInvariants()
    var idle = held()
    #expect(words(idle.lost(7, hasLink: false)) == ["forget 7"])
    #expect(!idle.isHeld(7))
    idle.checkInvariants()
  }

  @Test func `a device that has connected to another node is closed here`() {
    var table = held()
    _ = table.lost(7, hasLink: true)
    #expect(words(table.submit(push(number: 2))) == [])
    #expect(
      words(table.finish(7, .elsewhere(3))) == ["closeLinks 7", "forget 7", "forward 2 to 3"])
    table.checkInvariants()
  }

  @Test
  func `during an outage of the store, waiting pushes are refused and devices stay connected`() {
    var table = held()
    _ = table.lost(7, hasLink: true)
    _ = table.submit(push(number: 2))
    #expect(words(table.finish(7, nil)) == ["refuse 2"])
    // Each later sign that the claim is lost repeats the attempt.
    #expect(words(table.lost(7, hasLink: true)) == ["claim 7 reclaim link"])
    #expect(words(table.finish(7, state())) == ["load 7"])
    table.checkInvariants()
    var new = DeviceClaimTable(own: 1)
    _ = new.connect(8, link: 4)
    #expect(words(new.finish(8, nil)) == ["close 4"])
    new.checkInvariants()
  }

  @Test func `after the loss of a claim, the device's state is outdated until it is read again`() {
    var table = held()
    #expect(!table.isOutdated(7))
    _ = table.lost(7, hasLink: true)
    #expect(table.isOutdated(7))
    _ = table.finish(7, nil)
    #expect(table.isOutdated(7))
    _ = table.lost(7, hasLink: true)
    _ = table.finish(7, state())
    #expect(!table.isOutdated(7))
    // The check of a push that would be refused does not concern the device's requests.
    _ = table.confirm(push(), hasLink: true)
    #expect(!table.isOutdated(7))
    table.checkInvariants()
  }

  @Test func `a state that was read before the loss of a claim was known is read again`() {
    var table = held()
    #expect(words(table.confirm(push(), hasLink: true)) == ["claim 7 reclaim link"])
    #expect(words(table.lost(7, hasLink: true)) == [])
    #expect(table.isOutdated(7))
    #expect(words(table.finish(7, state())) == ["claim 7 reclaim link"])
    #expect(words(table.finish(7, state())) == ["load 7", "accept 1"])
    #expect(!table.isOutdated(7))
    table.checkInvariants()
    _ = table.connect(7, link: 1)
    _ = table.lost(7, hasLink: true)
    #expect(words(table.finish(7, nil)) == ["close 1"])
    #expect(!table.isHeld(7), "the earlier claim might be lost")
    table.checkInvariants()
  }

  @Test func `a failed claim for a second connection keeps the earlier claim`() {
    var table = held()
    _ = table.connect(7, link: 1)
    #expect(words(table.finish(7, nil)) == ["close 1"])
    #expect(table.isHeld(7))
    table.checkInvariants()
  }

  @Test func `an unknown device is answered here`() {
    var table = DeviceClaimTable(own: 1)
    _ = table.submit(push(number: 1))
    #expect(words(table.finish(7, .unknown)) == ["accept 1"])
    #expect(!table.isHeld(7))
    table.checkInvariants()
  }

  @Test func `a revocation takes the device, or is carried out without the store`() {
    var table = DeviceClaimTable(own: 1)
    #expect(words(table.revoke(7, atMilliseconds: 5)) == ["claim 7 take"])
    #expect(words(table.finish(7, state())) == ["load 7", "revoke 7"])
    _ = table.revoke(8, atMilliseconds: 5)
    #expect(words(table.finish(8, nil)) == ["revoke 8"])
    table.checkInvariants()
  }

  @Test func `waiting pushes and remembered owners are bounded`() {
    var table = DeviceClaimTable(own: 1, waitingMax: 2, elsewhereMax: 2)
    _ = table.submit(push(1, number: 1))
    _ = table.submit(push(1, number: 2))
    #expect(words(table.submit(push(1, number: 3))) == ["refuse 3"])
    #expect(words(table.submit(push(2, number: 4))) == ["refuse 4"])
    _ = table.finish(1, .elsewhere(3))
    for device in 2...5 as ClosedRange<UInt64> {
      _ = table.submit(push(device))
      _ = table.finish(device, .elsewhere(3))
      table.checkInvariants()
    }
    // The owner of the first device was forgotten, so the store is asked again.
    #expect(words(table.submit(push(1))) == ["claim 1 ifFree"])
  }

  @Test func `devices that are claimed and lost again and again use no more memory`() {
    var table = held()
    for _ in 0..<5_000 {
      _ = table.lost(7, hasLink: false)
      _ = table.submit(push())
      _ = table.finish(7, state())
      table.checkInvariants()
    }
    #expect(table.heldCount == 1)
  }

  @Test func `the device that was claimed first is evicted, unless it is needed`() {
    var table = DeviceClaimTable(own: 1)
    for device in 1...3 as ClosedRange<UInt64> {
      _ = table.submit(push(device))
      _ = table.finish(device, state(device))
    }
    #expect(table.evict(above: 3) { _ in false } == nil)
    #expect(table.evict(above: 2) { $0 == 1 } == nil)
    #expect(table.evict(above: 2) { $0 == 1 } == 2)
    #expect(table.isHeld(1) && !table.isHeld(2) && table.isHeld(3))
    table.checkInvariants()
  }
}
