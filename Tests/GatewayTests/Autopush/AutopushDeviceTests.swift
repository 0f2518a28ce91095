import BelfryWire
import PushWire
import Storage
import Testing
import Transport
import WebPush

@testable import Gateway

@Suite struct AutopushDeviceTests {
  @Test func `an identifier contains the number of its device`() throws {
    for number in [1, 1 << 22, 1_049_574_550_536_193, 1 << 56 - 1] as [UInt64] {
      let uaid = try #require(AutopushUserAgentID(device: number, random: .max, 0))
      #expect(uaid.claim.number == number)
      #expect(AutopushUserAgentID(Array(uaid.text.utf8).span)?.claim == uaid.claim)
    }
    #expect(AutopushUserAgentID(device: 1 << 56, random: 0, 0) == nil)
  }

  @Test func `identifiers of one device differ in 72 random bits, and so do their hashes`() throws {
    let one = try #require(AutopushUserAgentID(device: 7, random: 1, 0))
    let others: [(UInt64, UInt64)] = [(0, 0), (1 << 63, 0), (1, 1 << 56)]
    for (first, second) in others {
      let other = try #require(AutopushUserAgentID(device: 7, random: first, second))
      #expect(other != one)
      #expect(other.claim.number == 7 && other.claim.keyHash != one.claim.keyHash)
    }
  }

  private func key(_ number: UInt32, device: UInt64 = 7) -> NotificationKey {
    NotificationKey(device: device, app: number, kind: TokenKind.webPush.rawValue)
  }

  private func change(
    _ verb: LinkFrame.TopicVerb, _ key: NotificationKey, in table: inout RegistrationTable
  ) {
    let request = RegistrationTable.Request(
      session: SessionID(1), number: 1, verb: verb, key: key)
    for case .persist(let record) in table.handle(request, atMilliseconds: 1) {
      _ = table.finish(record.key, isDurable: true, atMilliseconds: 1)
    }
  }

  @Test func `the subscriptions of a browser are known without being registered again`() {
    var table = RegistrationTable()
    table.set(key(1), to: .init(generation: 0, state: .active, changedMilliseconds: 0))
    table.set(key(2), to: .init(generation: 0, state: .unregistered, changedMilliseconds: 0))
    table.set(key(3, device: 8), to: .init(generation: 0, state: .active, changedMilliseconds: 0))
    let alert = NotificationKey(device: 7, app: 4, kind: TokenKind.alert.rawValue)
    table.set(alert, to: .init(generation: 0, state: .active, changedMilliseconds: 0))
    #expect(table.webPushSubscriptions(of: 7) == [key(1)])
    change(.register, key(5), in: &table)
    change(.unregister, key(1), in: &table)
    #expect(table.webPushSubscriptions(of: 7) == [key(5)])
    change(.register, key(1), in: &table)
    #expect(table.webPushSubscriptions(of: 7) == [key(1), key(5)])
    #expect(table.webPushSubscriptions(of: 9).isEmpty)
  }
}
