import BelfryWire
import Gateway
import Storage
import Testing

@Suite struct RegistrationTableTests {
  private let key = NotificationKey(device: 5, app: 1, kind: TokenKind.alert.rawValue)

  @Test func `registering again changes nothing`() {
    var table = RegistrationTable()
    let entry = RegistrationTable.Entry(
      generation: 0, state: .active, changedMilliseconds: 1)
    #expect(table.decide(.register, key, atMilliseconds: 1) == .changed(entry))
    #expect(table.decide(.register, key, atMilliseconds: 2) == .unchanged(entry))
    #expect(table.verdict(key, generation: 0) == .active)
  }

  @Test func `C08 registering after unregistering begins a new token, the old one tells its time`()
  {
    var table = RegistrationTable()
    _ = table.decide(.register, key, atMilliseconds: 1)
    _ = table.decide(.unregister, key, atMilliseconds: 20)
    #expect(table.verdict(key, generation: 0) == .unregistered(sinceMilliseconds: 20))
    _ = table.decide(.register, key, atMilliseconds: 30)
    #expect(table.verdict(key, generation: 0) == .unregistered(sinceMilliseconds: 20))
    #expect(table.verdict(key, generation: 1) == .active)
  }

  @Test func `I15 a silenced app's token lives`() {
    var table = RegistrationTable()
    _ = table.decide(.register, key, atMilliseconds: 1)
    _ = table.decide(.disable, key, atMilliseconds: 2)
    #expect(table.verdict(key, generation: 0) == .disabled)
    _ = table.decide(.enable, key, atMilliseconds: 3)
    #expect(table.verdict(key, generation: 0) == .active)
  }

  @Test func `every token of a revoked device is dead since then`() {
    var table = RegistrationTable()
    _ = table.decide(.register, key, atMilliseconds: 1)
    table.revoke(5, atMilliseconds: 9)
    #expect(table.verdict(key, generation: 0) == .unregistered(sinceMilliseconds: 9))
  }

  @Test func `S4-8 what was never registered is unknown`() {
    var table = RegistrationTable()
    #expect(table.verdict(key, generation: 0) == .unknown)
    for verb: LinkFrame.TopicVerb in [.unregister, .disable, .enable] {
      #expect(table.decide(verb, key, atMilliseconds: 1) == .notRegistered)
    }
  }

  @Test func `S4-14 a token opens to what was sealed, and no other key opens it`() throws {
    let contents = TokenContents(
      environment: .sandbox, kind: .alert, generation: 3, app: 1, device: 5)
    let one = [UInt8](repeating: 1, count: 32)
    let two = [UInt8](repeating: 2, count: 32)
    let vault = try DeviceTokenCodec(keys: [one], environment: .sandbox)
    let token = vault.seal(contents)
    #expect(token.count == 32)
    #expect(vault.seal(contents) == token)
    #expect(open(token, try DeviceTokenCodec(keys: [two, one], environment: .sandbox)) == contents)
    #expect(open(token, try DeviceTokenCodec(keys: [two], environment: .sandbox)) == nil)
    #expect(open(token, try DeviceTokenCodec(keys: [one], environment: .production)) == nil)
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
