import BelfryWire
import PushWire
import Storage
import Testing

@testable import Gateway

@Suite struct RegistrationTableTests {
  private let key = NotificationKey(device: 5, app: 1, kind: TokenKind.alert.rawValue)

  private func request(
    _ verb: LinkFrame.TopicVerb, number: UInt16 = 1
  ) -> RegistrationTable.Request {
    RegistrationTable.Request(session: SessionID(1), number: number, verb: verb, key: key)
  }

  /// Handles a request, makes its result durable, and returns the reply.
  @discardableResult
  private func carryOut(
    _ verb: LinkFrame.TopicVerb, _ table: inout RegistrationTable, atMilliseconds now: Int64
  ) -> RegistrationTable.Reply? {
    var actions = table.handle(request(verb), atMilliseconds: now)
    if case .persist? = actions.first {
      actions = table.finish(key, isDurable: true, atMilliseconds: now)
    }
    table.checkInvariants()
    guard case .reply(_, let reply)? = actions.last else { return nil }
    return reply
  }

  private func entry(
    _ generation: UInt16, _ state: RegistrationTable.State, _ changed: Int64
  ) -> RegistrationTable.Entry {
    RegistrationTable.Entry(generation: generation, state: state, changedMilliseconds: changed)
  }

  private func key(_ app: UInt32, of device: UInt64 = 5) -> NotificationKey {
    NotificationKey(device: device, app: app, kind: TokenKind.alert.rawValue)
  }

  private func ask(
    _ verb: LinkFrame.TopicVerb, _ key: NotificationKey, session: UInt64 = 1
  ) -> RegistrationTable.Request {
    RegistrationTable.Request(session: SessionID(session), number: 1, verb: verb, key: key)
  }

  @Test func `the requests that wait for one change are limited, whatever their connections are`() {
    var table = RegistrationTable()
    for session in 1...UInt64(Limits.requestsWaitingMax) {
      let actions = table.handle(
        ask(session % 2 == 1 ? .register : .unregister, key, session: session), atMilliseconds: 1)
      #expect(actions.count == (session == 1 ? 1 : 0))
    }
    let late = ask(.register, key, session: 9_999)
    #expect(table.handle(late, atMilliseconds: 1) == [.reply(late, .tryLater)])
    let other = ask(.register, key(2), session: 9_999)
    #expect(table.handle(other, atMilliseconds: 1) != [.reply(other, .tryLater)])
    // The change is answered, and the next one begins.
    #expect(table.finish(key, isDurable: true, atMilliseconds: 2).count == 2)
    #expect(table.handle(late, atMilliseconds: 2).isEmpty)
    table.checkInvariants()
  }

  @Test func `a device has so many topics on disk, whatever its connections and their state`() {
    var table = RegistrationTable(topicsMax: 3)
    table.set(key(1), to: entry(0, .unregistered, 1))
    // Make two simultaneous requests on two connections, because requests in progress also count.
    for app in [2, 3] as [UInt32] {
      let actions = table.handle(ask(.register, key(app), session: UInt64(app)), atMilliseconds: 1)
      guard case .persist? = actions.first else {
        Issue.record("\(actions)")
        return
      }
    }
    let excess = ask(.register, key(4))
    #expect(table.handle(excess, atMilliseconds: 2) == [.reply(excess, .tooMany)])
    // A failure frees the request's slot; a success doesn't.
    _ = table.finish(key(2), isDurable: false, atMilliseconds: 3)
    #expect(table.hasRoom(5))
    _ = table.finish(key(3), isDurable: true, atMilliseconds: 3)
    _ = table.handle(excess, atMilliseconds: 4)
    _ = table.finish(key(4), isDurable: true, atMilliseconds: 4)
    #expect(!table.hasRoom(5))
    // A device can still use its existing registrations, and another device has its own limit.
    guard case .persist? = table.handle(ask(.register, key(1)), atMilliseconds: 5).first else {
      Issue.record("a registered topic can be registered again")
      return
    }
    #expect(table.hasRoom(6))
  }

  @Test func `registering again changes nothing`() {
    var table = RegistrationTable()
    let entry = entry(0, .active, 1)
    #expect(carryOut(.register, &table, atMilliseconds: 1) == .token(entry))
    #expect(
      table.handle(request(.register), atMilliseconds: 2)
        == [.reply(request(.register), .token(entry))])
    #expect(table.verdict(key, generation: 0) == .active)
  }

  @Test func `C08 registering after unregistering begins a new token, the old one tells its time`()
  {
    var table = RegistrationTable()
    carryOut(.register, &table, atMilliseconds: 1)
    carryOut(.unregister, &table, atMilliseconds: 20)
    #expect(table.verdict(key, generation: 0) == .unregistered(sinceMilliseconds: 20))
    carryOut(.register, &table, atMilliseconds: 30)
    #expect(table.verdict(key, generation: 0) == .unregistered(sinceMilliseconds: 20))
    #expect(table.verdict(key, generation: 1) == .active)
  }

  @Test func `I15 a silenced app's token lives`() {
    var table = RegistrationTable()
    carryOut(.register, &table, atMilliseconds: 1)
    carryOut(.disable, &table, atMilliseconds: 2)
    #expect(table.verdict(key, generation: 0) == .disabled)
    carryOut(.enable, &table, atMilliseconds: 3)
    #expect(table.verdict(key, generation: 0) == .active)
  }

  @Test func `a registration is good once it is on disk`() {
    var table = RegistrationTable()
    let first = request(.register, number: 1)
    let second = request(.register, number: 2)
    let entry = entry(0, .active, 1)
    #expect(
      table.handle(first, atMilliseconds: 1) == [.persist(entry.record(of: key))])
    #expect(table.verdict(key, generation: 0) == .unknown)
    #expect(
      table.handle(second, atMilliseconds: 2) == [], "the second request waits for the same commit")
    #expect(
      table.finish(key, isDurable: true, atMilliseconds: 3)
        == [.reply(first, .token(entry)), .reply(second, .token(entry))])
    #expect(table.verdict(key, generation: 0) == .active)
  }

  @Test
  func `a registration that could not be stored has no effect, even if it is requested twice`() {
    var table = RegistrationTable()
    let first = request(.register, number: 1)
    let second = request(.register, number: 2)
    _ = table.handle(first, atMilliseconds: 1)
    _ = table.handle(second, atMilliseconds: 1)
    #expect(
      table.finish(key, isDurable: false, atMilliseconds: 2)
        == [.reply(first, .tryLater), .reply(second, .tryLater)])
    #expect(table.verdict(key, generation: 0) == .unknown)
    #expect(table.entry(key) == nil)
    #expect(
      table.handle(first, atMilliseconds: 3) == [.persist(entry(0, .active, 3).record(of: key))])
  }

  @Test func `requests that wait for a change that fails are all refused for now`() {
    var table = RegistrationTable()
    let first = request(.register, number: 1)
    let second = request(.unregister, number: 2)
    _ = table.handle(first, atMilliseconds: 1)
    _ = table.handle(second, atMilliseconds: 1)
    // A database might have the registration, so the device must not give up the second request.
    #expect(
      table.finish(key, isDurable: false, atMilliseconds: 2)
        == [.reply(first, .tryLater), .reply(second, .tryLater)])
    #expect(table.entry(key) == nil)
  }

  @Test(arguments: [LinkFrame.TopicVerb.unregister, .disable])
  func `waiting pushes are discarded only once the unregister or disable of their topic is on disk`(
    verb: LinkFrame.TopicVerb
  ) {
    var table = RegistrationTable()
    carryOut(.register, &table, atMilliseconds: 1)
    #expect(table.handle(request(verb), atMilliseconds: 2).count == 1)
    #expect(table.verdict(key, generation: 0) == .active)
    #expect(
      table.finish(key, isDurable: false, atMilliseconds: 3) == [.reply(request(verb), .tryLater)])
    #expect(table.verdict(key, generation: 0) == .active)
    _ = table.handle(request(verb), atMilliseconds: 4)
    let state: RegistrationTable.State = verb == .disable ? .disabled : .unregistered
    #expect(
      table.finish(key, isDurable: true, atMilliseconds: 5)
        == [.discardWaiting(key, state), .reply(request(verb), .done)])
    #expect(table.verdict(key, generation: 0) != .active)
  }

  @Test func `requests that wait for a pending change are decided in order, each on the new state`()
  {
    var table = RegistrationTable()
    let requests = [LinkFrame.TopicVerb.register, .unregister, .register, .register].enumerated()
      .map { request($0.element, number: UInt16($0.offset)) }
    var persisted: [RegistrationRecord] = []
    var replies: [RegistrationTable.Reply] = []
    func note(_ actions: [RegistrationTable.Action]) {
      for action in actions {
        switch action {
        case .persist(let record): persisted.append(record)
        case .reply(let request, let reply):
          #expect(request == requests[replies.count])
          replies.append(reply)
        case .discardWaiting: break
        }
      }
    }
    for request in requests { note(table.handle(request, atMilliseconds: 1)) }
    #expect(persisted.count == 1)
    for _ in 0..<3 { note(table.finish(key, isDurable: true, atMilliseconds: 2)) }
    #expect(persisted.map(\.generation) == [0, 0, 1])
    #expect(
      replies == [
        .token(entry(0, .active, 1)), .done, .token(entry(1, .active, 2)),
        .token(entry(1, .active, 2)),
      ])
  }

  @Test func `every token of a revoked device is dead since then`() {
    var table = RegistrationTable()
    carryOut(.register, &table, atMilliseconds: 1)
    table.revoke(5, atMilliseconds: 9)
    #expect(table.verdict(key, generation: 0) == .unregistered(sinceMilliseconds: 9))
  }

  @Test func `A topic that was never registered is unknown`() {
    var table = RegistrationTable()
    #expect(table.verdict(key, generation: 0) == .unknown)
    for verb: LinkFrame.TopicVerb in [.unregister, .disable, .enable] {
      #expect(carryOut(verb, &table, atMilliseconds: 1) == .notRegistered)
    }
  }

  @Test func `A token opens to what was sealed, and no other key opens it`() throws {
    let contents = TokenContents(
      environment: .sandbox, kind: .alert, generation: 3, app: 1, device: 5)
    let one = [UInt8](repeating: 1, count: 32)
    let two = [UInt8](repeating: 2, count: 32)
    let vault = try DeviceTokenCodec(keys: [one], environment: .sandbox)
    let token = vault.seal(contents)
    #expect(token.count == 32)
    #expect(vault.seal(contents) == token)
    // S4-14 part 1 of 2: only the service generates it
    #expect(open(token, try DeviceTokenCodec(keys: [two, one], environment: .sandbox)) == contents)
    #expect(open(token, try DeviceTokenCodec(keys: [two], environment: .sandbox)) == nil)
    #expect(open(token, try DeviceTokenCodec(keys: [one], environment: .production)) == nil)
    let other = try DeviceTokenCodec(keys: [one], environment: .sandbox, cell: 7)
    #expect(open(token, other) == nil)
    #expect(open(other.seal(contents), other) == contents.inCell(7))
    #expect(open(other.seal(contents), vault) == nil)
    for index in token.indices {
      var forged = token
      forged[index] ^= 1
      #expect(open(forged, vault) == nil)
    }
    #expect(open(Array(token.dropLast()), vault) == nil)
  }

  private func open(_ token: [UInt8], _ vault: DeviceTokenCodec) -> TokenContents? {
    vault.open(token.span)
  }
}
