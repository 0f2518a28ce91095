import AppWire
import BelfryWire
import PushWire
import Testing

@testable import Agent

@Suite struct UnifiedPushRegistrationTests {
  private let tooth = UnifiedPushBench.tooth
  private let keys = UnifiedPushBench.keys
  private let endpoint: UTF8Text = "https://push.example.org/push/AQID"

  @Test func `A registration is answered, and the app gets its endpoint`() {
    let bench = UnifiedPushBench()
    let call = bench.register()
    #expect(bench.answers[call] == nil)
    #expect(bench.held == [.call(call)])
    bench.issue()
    #expect(bench.answers[call] == .registered)
    #expect(bench.contents == [.newEndpoint(token: "t", endpoint: endpoint)])
    #expect(bench.calls.first?.service == tooth)
    #expect(bench.calls.first?.mayStart == true)
    #expect(bench.checkedOwners == [tooth])
  }

  @Test func `A known token gets its endpoint each time that it registers`() {
    let bench = UnifiedPushBench()
    _ = bench.registered()
    for _ in 0..<2 {
      let call = bench.register()
      #expect(bench.answers[call] == .registered)
      #expect(bench.contents == [.newEndpoint(token: "t", endpoint: endpoint)])
      bench.deliver()
    }
    #expect(bench.requested.count == 1)
  }

  @Test func `A registration during the announcement of the previous one gets its own`() {
    let bench = UnifiedPushBench()
    bench.register()
    bench.issue()
    let call = bench.register()
    #expect(bench.answers[call] == .registered)
    #expect(bench.calls.count == 1)
    bench.deliver()
    #expect(bench.contents == [.newEndpoint(token: "t", endpoint: endpoint)])
  }

  @Test func `A registration survives a restart, and only a changed endpoint is announced`() {
    let bench = UnifiedPushBench()
    let subject = bench.registered()
    let next = bench.restarted()
    #expect(next.requested == [subject])
    next.issue()
    #expect(next.calls.isEmpty)
    next.issue(id: [9])
    #expect(
      next.contents
        == [.newEndpoint(token: "t", endpoint: "https://push.example.org/push/CQ")])
    next.fail(.unreachable(why: ""))
    let last = next.restarted(origin: nil)
    #expect(
      last.contents
        == [.newEndpoint(token: "t", endpoint: "https://push.example.org/push/CQ")])
  }

  @Test func `A new origin is a new endpoint`() {
    let bench = UnifiedPushBench()
    _ = bench.registered()
    bench.handle(.linkDown)
    bench.handle(.linkUp(origin: "https://other.example.org"))
    bench.issue()
    #expect(
      bench.contents
        == [.newEndpoint(token: "t", endpoint: "https://other.example.org/push/AQID")])
  }

  @Test func `A known endpoint is given while the gateway cannot be reached`() {
    let bench = UnifiedPushBench()
    _ = bench.registered()
    bench.handle(.linkDown)
    let call = bench.register()
    #expect(bench.answers[call] == .registered)
    #expect(bench.contents == [.newEndpoint(token: "t", endpoint: endpoint)])
  }

  @Test func `While the gateway cannot be reached, a registration is held, then fails`() {
    let bench = UnifiedPushBench(origin: nil)
    let first = bench.register()
    let second = bench.register()
    bench.handle(.holdEnded(.call(first)))
    #expect(bench.answers == [first: .failed(.network)])
    #expect(bench.cancelled.isEmpty)
    bench.handle(.holdEnded(.call(second)))
    #expect(bench.answers[second] == .failed(.network))
    #expect(bench.cancelled == bench.requested)
    #expect(bench.machine.rows.isEmpty)
    // A late answer of the gateway is not a registration.
    bench.handle(.linkUp(origin: UnifiedPushBench.origin))
    bench.issue()
    #expect(bench.calls.isEmpty)
  }

  @Test func `A held registration succeeds when the gateway is back`() {
    let bench = UnifiedPushBench(origin: nil)
    let call = bench.register()
    bench.handle(.linkUp(origin: UnifiedPushBench.origin))
    bench.issue()
    #expect(bench.answers[call] == .registered)
    bench.handle(.holdEnded(.call(call)))
    #expect(bench.answers[call] == .registered)
    #expect(bench.cancelled.isEmpty)
  }

  @Test func `Without a Web Push service, the user must act`() {
    let bench = UnifiedPushBench(origin: "")
    let call = bench.register()
    #expect(bench.answers[call] == .failed(.actionRequired))
    #expect(bench.notes == [.noWebPush(tooth)])
    #expect(bench.requested.isEmpty)
    // The same applies to a registration that waits when the link comes up, and to a known one.
    let other = UnifiedPushBench(origin: nil)
    let held = other.register()
    other.handle(.linkUp(origin: ""))
    #expect(other.answers[held] == .failed(.actionRequired))
    let third = UnifiedPushBench()
    _ = third.registered()
    third.handle(.linkDown)
    third.handle(.linkUp(origin: ""))
    #expect(third.answer(third.register()) == .failed(.actionRequired))
  }

  @Test func `Without a gateway, the user must act`() {
    let off = UnifiedPushBench(origin: nil, hasGateway: false, isGatewayOff: true)
    #expect(off.answer(off.register()) == .failed(.actionRequired))
    // The user's own gateway might be about to start.
    let bench = UnifiedPushBench(origin: nil, hasGateway: false)
    let call = bench.register()
    #expect(bench.answers[call] == nil)
    bench.handle(.holdEnded(.call(call)))
    #expect(bench.answers[call] == .failed(.actionRequired))
    let found = UnifiedPushBench(origin: nil, hasGateway: false)
    let other = found.register()
    found.handle(.gatewayFound)
    found.handle(.holdEnded(.call(other)))
    #expect(found.answers[other] == .failed(.network))
  }

  @Test func `A caller that is not the app is refused`() {
    let bench = UnifiedPushBench()
    let call = bench.register(isAllowed: false)
    #expect(bench.answers[call] == .failed(.unauthorized))
    #expect(bench.requested.isEmpty)
    #expect(bench.notes == [.unauthorized(tooth)])
  }

  @Test func `An app cannot take the token of another app`() {
    let bench = UnifiedPushBench()
    _ = bench.registered()
    let call = bench.register(service: UnifiedPushBench.fluffy)
    #expect(bench.answers[call] == .failed(.unauthorized))
    #expect(bench.machine.service(of: "t") == tooth)
  }

  @Test func `An app cannot end the registration of another app`() {
    let bench = UnifiedPushBench()
    _ = bench.registered()
    let call = bench.unregister(isAllowed: false)
    #expect(bench.answers[call] == .denied)
    #expect(bench.machine.registrationCount == 1)
  }

  @Test(arguments: [UnifiedPushVersion.one, .two])
  func `The end of a registration is confirmed as its version requires`(
    version: UnifiedPushVersion
  ) {
    let bench = UnifiedPushBench()
    let subject = bench.registered(version: version)
    let call = bench.unregister(version: version)
    #expect(bench.answers[call] == .unregistered)
    #expect(bench.cancelled == [subject])
    #expect(bench.contents == [.unregistered(token: version == .one ? "" : "t")])
    // An app that has exited is not started only to hear this, and not told again.
    #expect(bench.calls.first?.mayStart == false)
    bench.fail(.unreachable(why: ""))
    #expect(bench.calls.isEmpty)
    bench.handle(.nameAppeared(tooth))
    #expect(bench.calls.isEmpty)
    #expect(bench.restarted().machine.registrationCount == 0)
  }

  @Test func `The end of an unknown registration is answered`() {
    let bench = UnifiedPushBench()
    #expect(bench.answer(bench.unregister()) == .unregistered)
    #expect(bench.calls.isEmpty)
  }

  @Test func `The end of a subscription is repeated until the gateway confirms it`() {
    let bench = UnifiedPushBench()
    let subject = bench.registered()
    bench.unregister()
    let next = bench.restarted(origin: nil)
    #expect(next.cancelled == [subject])
    if let subject { next.handle(.unsubscribed(subject)) }
    #expect(next.restarted().cancelled.isEmpty)
  }

  @Test func `The number of a subscription is used again once the gateway has confirmed its end`() {
    let bench = UnifiedPushBench()
    guard let first = bench.registered() else { return }
    bench.unregister()
    bench.register("u")
    #expect(bench.requested.last?.number != first.number)
    bench.handle(.unsubscribed(first))
    let next = bench.restarted()
    next.register("v")
    #expect(next.requested.last?.number == first.number)
  }

  @Test func `Another VAPID key gets another subscription, and the former one ends`() {
    let bench = UnifiedPushBench()
    bench.register(vapid: keys[0])
    let first = bench.requested.last
    #expect(first?.keyHash.count == 32)
    bench.issue()
    bench.deliver()
    let call = bench.register(vapid: keys[1])
    let second = bench.requested.last
    #expect(second?.number != first?.number && second?.keyHash != first?.keyHash)
    // The former subscription is valid until the app has a new one.
    #expect(bench.cancelled.isEmpty && bench.answers[call] == nil)
    bench.issue(id: [9])
    #expect(bench.cancelled == [first])
    #expect(bench.answers[call] == .registered)
    #expect(
      bench.contents
        == [.newEndpoint(token: "t", endpoint: "https://push.example.org/push/CQ")])
    #expect(bench.restarted().requested == [second])
  }

  @Test func `An app that cannot change its VAPID key keeps its subscription`() {
    let bench = UnifiedPushBench()
    let first = bench.registered()
    bench.handle(.linkDown)
    let call = bench.register(vapid: keys[0])
    bench.handle(.holdEnded(.call(call)))
    #expect(bench.answers[call] == .failed(.network))
    #expect(bench.cancelled == [bench.requested.last])
    #expect(first.map { bench.subscribed.contains($0) } == true)
    #expect(bench.machine.registrationCount == 1)
  }

  @Test func `A third VAPID key replaces the one that was requested`() {
    let bench = UnifiedPushBench()
    let first = bench.registered()
    let second = bench.register(vapid: keys[0])
    let third = bench.register(vapid: keys[1])
    #expect(bench.answers[second] == .failed(.internalError))
    bench.issue(id: [9])
    #expect(bench.answers[third] == .registered)
    #expect(bench.subscribed.count == 1)
    // An app that returns to its key while another is requested keeps its subscription.
    let fourth = bench.register()
    let fifth = bench.register(vapid: keys[1])
    #expect(bench.answers[fourth] == .failed(.internalError))
    #expect(bench.answers[fifth] == .registered)
    #expect(first.map { bench.subscribed.contains($0) } == false)
  }

  @Test(arguments: [
    (LinkRefusal.tooMany, UnifiedPushAnswer.Reason.actionRequired),
    (.unknownApp, .actionRequired), (.badTopic, .internalError),
  ])
  func `A refusal of the gateway is answered`(
    refusal: LinkRefusal, reason: UnifiedPushAnswer.Reason
  ) {
    let bench = UnifiedPushBench()
    let call = bench.register()
    guard let subject = bench.requested.last else { return }
    bench.handle(.refused(subject, .tryLater))
    #expect(bench.answers[call] == nil)
    bench.handle(.refused(subject, refusal))
    #expect(bench.answers[call] == .failed(reason))
    #expect(bench.machine.rows.isEmpty)
  }

  @Test func `An endpoint that is too long is refused`() {
    let bench = UnifiedPushBench(
      origin: UTF8Text("https://" + String(repeating: "x", count: 990)))
    let call = bench.register()
    bench.issue()
    #expect(bench.answers[call] == .failed(.internalError))
    #expect(bench.notes == [.endpointTooLong(tooth)])
  }

  @Test func `A registration that no app knows does not survive a restart`() {
    let bench = UnifiedPushBench(origin: nil)
    bench.register()
    let next = bench.restarted()
    #expect(next.requested.isEmpty)
    #expect(next.cancelled.contains { $0 == bench.requested.last })
    #expect(next.machine.registrationCount == 0)
  }

  @Test func `Registrations of uninstalled apps end at the next start`() {
    let bench = UnifiedPushBench()
    let gone = bench.registered()
    _ = bench.registered("u", service: UnifiedPushBench.fluffy)
    bench.send(gone)
    let next = bench.restarted(names: [UnifiedPushBench.fluffy])
    #expect(gone.map { next.cancelled.contains($0) } == true)
    #expect(next.notes == [.appGone(tooth)])
    #expect(next.machine.service(of: "u") == UnifiedPushBench.fluffy)
    #expect(next.disk[.messages] == [:])
    // An app that is not running later in the same session keeps its registration.
    next.handle(.notServed(.noBus))
    next.handle(.served(bus: UnifiedPushBench.bus, names: []))
    #expect(next.machine.registrationCount == 1)
  }

  @Test func `If the names on the bus are unknown, no registration ends`() {
    let bench = UnifiedPushBench()
    _ = bench.registered()
    bench.handle(.notServed(.noBus))
    bench.handle(.served(bus: UnifiedPushBench.bus, names: nil))
    #expect(bench.machine.registrationCount == 1)
  }

  @Test func `A unique name is valid only on its bus, and moves with its app`() {
    let bench = UnifiedPushBench()
    let subject = bench.registered("t", service: ":1.7")
    bench.send(subject)
    bench.fail(.unreachable(why: ""))
    let call = bench.register("t", service: ":1.9")
    #expect(bench.answers[call] == .registered)
    #expect(bench.calls.map(\.service) == [":1.9"])
    #expect(bench.contents == [.newEndpoint(token: "t", endpoint: endpoint)])
    bench.deliver()
    #expect(bench.calls.map(\.service) == [":1.9"] && bench.calls.count == 1)
    bench.deliver()
    #expect(bench.machine.rows.first?["waiting"] == 0)
    #expect(bench.requested.count == 1)
    // The same name on the next bus belongs to another program.
    let same = bench.restarted(names: [":1.9"])
    #expect(same.machine.registrationCount == 1)
    let other = bench.restarted(names: [":1.9"], bus: "other")
    #expect(other.machine.registrationCount == 0)
  }

  @Test func `A new identity of the device is a new endpoint`() {
    let bench = UnifiedPushBench()
    let subject = bench.registered()
    _ = bench.registered("u")
    bench.unregister("u")
    bench.deliver()
    bench.handle(.linkDown)
    bench.handle(.identityReplaced)
    let call = bench.register()
    #expect(bench.answers[call] == nil)
    bench.handle(.linkUp(origin: UnifiedPushBench.origin))
    bench.issue(subject, id: [9])
    #expect(bench.answers[call] == .registered)
    #expect(
      bench.contents
        == [.newEndpoint(token: "t", endpoint: "https://push.example.org/push/CQ")])
    // The ended subscriptions belonged to the former device.
    #expect(bench.restarted().cancelled.isEmpty)
  }

  @Test func `An app has a limited number of registrations`() {
    let bench = UnifiedPushBench()
    for number in 0..<Limits.pushSubscriptionsPerApp {
      bench.register(UTF8Text("t\(number)"))
      bench.issue()
    }
    #expect(bench.answer(bench.register("one more")) == .failed(.actionRequired))
    #expect(bench.notes.last == .tooMany(tooth))
    #expect(bench.answer(bench.register("t1")) == .registered)
    bench.register("u", service: UnifiedPushBench.fluffy)
    bench.issue()
    #expect(bench.machine.registrationCount == Limits.pushSubscriptionsPerApp + 1)
  }

  @Test func `At its limit, an app can still change the VAPID key of a registration`() {
    let bench = UnifiedPushBench()
    for number in 0..<Limits.pushSubscriptionsPerApp {
      bench.register(UTF8Text("t\(number)"))
      bench.issue()
    }
    let call = bench.register("t1", vapid: keys[0])
    #expect(bench.answers[call] == nil)
    bench.issue(id: [9])
    #expect(bench.answers[call] == .registered)
    #expect(bench.machine.registrationCount == Limits.pushSubscriptionsPerApp)
  }

  @Test func `At the limit of the device, an app can still change the VAPID key of a registration`()
  {
    let bench = UnifiedPushBench()
    for number in 0..<Limits.pushSubscriptions {
      let app = UTF8Text("org.example.App\(number / Limits.pushSubscriptionsPerApp)")
      bench.register(UTF8Text("t\(number)"), service: app)
      bench.issue()
    }
    #expect(bench.answer(bench.register("one more")) == .failed(.actionRequired))
    let rows = bench.test(RequestID(connection: ConnectionID(number: 1), number: 1))
    #expect(
      rows?.last?["detail"]
        == "there are too many registrations: remove some with 'belfry unifiedpush remove'")
    let call = bench.register("t1", service: "org.example.App0", vapid: keys[0])
    #expect(bench.answers[call] == nil)
    bench.issue(id: [9])
    #expect(bench.answers[call] == .registered)
    #expect(bench.machine.registrationCount == Limits.pushSubscriptions)
  }

  @Test func `All programs without a name share one limit, and the first that ended makes room`() {
    let bench = UnifiedPushBench()
    for number in 0..<Limits.pushSubscriptionsPerApp {
      bench.register(UTF8Text("t\(number)"), service: UTF8Text(":1.\(number / 10)"))
      bench.issue()
    }
    #expect(bench.answer(bench.register("u", service: ":1.50")) == .failed(.actionRequired))
    #expect(bench.notes.last == .tooMany(":1.50"))
    // An app with a name is not affected.
    bench.register("v")
    bench.issue()
    #expect(bench.machine.service(of: "v") == tooth)
    bench.handle(.connectionEnded(":1.4"))
    bench.handle(.connectionEnded(":1.2"))
    let call = bench.register("u", service: ":1.50")
    bench.issue()
    #expect(bench.answers[call] == .registered)
    #expect(bench.machine.service(of: "t40") == nil && bench.machine.service(of: "t41") == ":1.4")
    #expect(bench.machine.service(of: "t20") == ":1.2")
    #expect(bench.machine.registrationCount == Limits.pushSubscriptionsPerApp + 1)
    // A connection of the next bus can have the same name.
    bench.handle(.notServed(.noBus))
    bench.handle(.served(bus: UnifiedPushBench.bus, names: []))
    #expect(bench.answer(bench.register("w", service: ":1.51")) == .failed(.actionRequired))
  }

  @Test func `Until its connection has ended, a registration without a name cannot be changed`() {
    let bench = UnifiedPushBench()
    _ = bench.registered("t", service: ":1.7")
    let taken = bench.register("t", service: ":1.9", isTokenHeld: true)
    #expect(bench.answers[taken] == .failed(.unauthorized))
    let named = bench.register("t", isTokenHeld: true)
    #expect(bench.answers[named] == .failed(.unauthorized))
    let ended = bench.unregister("t", isAllowed: false, isTokenHeld: true)
    #expect(bench.answers[ended] == .denied)
    #expect(bench.machine.service(of: "t") == ":1.7")
    #expect(bench.answer(bench.register("t", service: ":1.9")) == .registered)
    #expect(bench.machine.service(of: "t") == ":1.9")
  }

  @Test func `A damaged record is ignored`() {
    let bench = UnifiedPushBench()
    _ = bench.registered()
    var disk = bench.disk
    disk[.subscriptions]?["77"] = [1]
    disk[.messages] = ["1": [2], "x": []]
    let next = UnifiedPushBench(disk: disk)
    #expect(next.machine.registrationCount == 1)
    #expect(
      next.notes == [
        .damagedRecord(.subscriptions, key: "77"), .damagedRecord(.messages, key: "1"),
        .damagedRecord(.messages, key: "x"),
      ])
  }

  @Test func `A subscription for a test ends at once`() {
    let bench = UnifiedPushBench()
    let requestID = RequestID(connection: ConnectionID(number: 1), number: 1)
    #expect(bench.test(requestID) == nil)
    bench.issue()
    #expect(bench.testRows.last?.map { $0["state"]?.stringValue } == ["ok", "ok", "ok", "ok"])
    #expect(bench.testRows.last?.last?["detail"] == "https://push.example.org/push/AQID")
    #expect(bench.cancelled == bench.requested)
    #expect(bench.machine.registrationCount == 0 && bench.calls.isEmpty)
  }

  @Test func `A test names the step that failed`() {
    let requestID = RequestID(connection: ConnectionID(number: 1), number: 1)
    func failed(_ bench: UnifiedPushBench) -> String? {
      bench.test(requestID)?.last { $0["state"] == "failed" }?["step"]?.stringValue
    }
    #expect(failed(UnifiedPushBench(isServed: false)) == "bus")
    #expect(failed(UnifiedPushBench(origin: nil)) == "gateway")
    #expect(failed(UnifiedPushBench(origin: nil, hasGateway: false)) == "gateway")
    #expect(failed(UnifiedPushBench(origin: "")) == "service")
    let silent = UnifiedPushBench()
    #expect(silent.test(requestID) == nil)
    silent.handle(.holdEnded(.test(requestID)))
    #expect(silent.testRows.last?.last?["step"] == "subscription")
    #expect(silent.testRows.last?.last?["state"] == "failed")
    #expect(silent.cancelled == silent.requested)
  }

  @Test func `A command ends a registration, and its app is informed`() {
    let bench = UnifiedPushBench()
    let subject = bench.registered(version: .one)
    #expect(!bench.remove("other"))
    #expect(bench.remove("t"))
    #expect(bench.cancelled == [subject])
    #expect(bench.contents == [.unregistered(token: "t")])
    #expect(bench.calls.first?.mayStart == true)
  }
}
