import PushWire
import Testing

@testable import Gateway

@Suite struct ChannelRegistryTests {
  private static let one = ChannelID(high: 0, low: 1)
  private static let two = ChannelID(high: 0, low: 2)

  private var book: ChannelRegistry {
    var book = ChannelRegistry()
    book.add(Self.one, app: 1, ChannelConfiguration(keepsLatest: false))
    book.add(Self.two, app: 1, ChannelConfiguration(keepsLatest: true))
    return book
  }

  @Test func `a channel belongs only to its app`() {
    let book = book
    #expect(book.channels(of: 1) == [Self.one, Self.two])
    #expect(book.channels(of: 2).isEmpty)
    #expect(book.configuration(of: Self.one, app: 1) == ChannelConfiguration(keepsLatest: false))
    #expect(book.configuration(of: Self.one, app: 2) == nil)
  }

  @Test func `the list of an app is what it has now`() {
    func text(_ ids: ChannelID...) -> String {
      #"{"channels":[\#(ids.map { "\"\($0.text)\"" }.joined(separator: ","))]}"#
    }
    var book = book
    #expect(String(decoding: book.list(of: 1), as: UTF8.self) == text(Self.one, Self.two))
    #expect(String(decoding: book.list(of: 2), as: UTF8.self) == #"{"channels":[]}"#)
    let three = ChannelID(high: 0, low: 3)
    book.add(three, app: 1, ChannelConfiguration(keepsLatest: false))
    #expect(String(decoding: book.list(of: 1), as: UTF8.self) == text(Self.one, Self.two, three))
    _ = book.remove(Self.one)
    #expect(String(decoding: book.list(of: 1), as: UTF8.self) == text(Self.two, three))
  }

  @Test func `a removed channel is gone`() {
    var book = book
    let wasThere = book.remove(Self.one)
    let wasThereAgain = book.remove(Self.one)
    #expect(wasThere && !wasThereAgain)
    #expect(book.channels(of: 1) == [Self.two])
    book.checkInvariants()
    #expect(
      book.broadcasting(to: Self.one, app: 1, expiration: 0, atSeconds: 9, storedFrom: 9)
        == .refused(.channelNotRegistered))
  }

  @Test func `a channel without storage accepts only the expiration 0`() {
    #expect(
      book.broadcasting(to: Self.one, app: 1, expiration: 0, atSeconds: 9, storedFrom: 9) == .once)
    #expect(
      book.broadcasting(to: Self.one, app: 1, expiration: 10, atSeconds: 9, storedFrom: 9)
        == .refused(.badExpirationDate))
  }

  @Test func `a stored message is kept for eight hours at the most`() {
    let book = book
    #expect(
      book.broadcasting(to: Self.two, app: 1, expiration: 100, atSeconds: 9, storedFrom: 9)
        == .kept(expiration: 100))
    #expect(
      book.broadcasting(to: Self.two, app: 1, expiration: 1_000_000, atSeconds: 9, storedFrom: 9)
        == .kept(expiration: 28_809))
    #expect(
      book.broadcasting(to: Self.two, app: 1, expiration: 0, atSeconds: 9, storedFrom: 9) == .once)
    #expect(
      book.broadcasting(to: Self.two, app: 1, expiration: 8, atSeconds: 9, storedFrom: 9) == .once)
  }

  @Test func `an app has 10000 channels at the most`() {
    var book = ChannelRegistry()
    for number in 1...9_999 as ClosedRange<UInt64> {
      book.add(
        ChannelID(high: 0, low: number), app: 1, ChannelConfiguration(keepsLatest: false))
    }
    #expect(book.hasRoom(1, waiting: 0))
    #expect(!book.hasRoom(1, waiting: 1))
    #expect(book.hasRoom(2, waiting: 1))
  }
}
