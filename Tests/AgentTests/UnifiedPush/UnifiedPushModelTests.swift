import AppWire
import BelfryWire
import PushWire
import Testing

@testable import Agent

/// Tests of the distributor as a part of the agent: identities of apps, durability, and commands.
@Suite struct UnifiedPushModelTests {
  private static let app: UTF8Text = "org.example.burger"

  /// Returns a bench whose distributor has its name and a gateway with a Web Push service.
  private func bench(_ disk: BenchDisk = BenchDisk()) -> ModelBench {
    let bench = ModelBench(disk: disk, servesUnifiedPush: true)
    bench.handle(
      .unifiedPush(.served(bus: UnifiedPushBench.bus, names: [Self.app])))
    bench.handle(.unifiedPush(.linkUp(origin: UnifiedPushBench.origin)))
    return bench
  }

  private func call(
    _ number: UInt64, isAllowed: Bool = true, process: ProcessIdentity? = nil,
    service: UTF8Text = app
  ) -> AgentEvent {
    let request = UnifiedPushRequest(
      version: .two, action: .register(.init(service: service, token: "t")))
    return .unifiedPush(
      .called(UnifiedPushCall(number: number, request, isAllowed: isAllowed, process: process)))
  }

  private func requested(_ effects: [AgentEffect]) -> WebPushSubject? {
    for case .unifiedPush(.subscribe(let subject)) in effects { return subject }
    return nil
  }

  /// Registers the app, and returns its subscription.
  private func registered(_ bench: ModelBench) throws -> WebPushSubject {
    let subject = try #require(requested(bench.handle(call(1))))
    bench.handle(.unifiedPush(.subscribed(subject, id: [1])))
    for case .unifiedPush(.call(let call)) in bench.take() {
      bench.handle(.unifiedPush(.delivered(service: call.service, call: call.number)))
    }
    return subject
  }

  private func isRefused(_ effects: [AgentEffect]) -> Bool {
    effects.contains(.unifiedPush(.answer(1, .failed(.unauthorized))))
  }

  @Test func `A process that is the app may register without owning its name`() {
    let own = ProcessIdentity(pid: 1, uid: 7, executable: "/opt/org.example.burger")
    let other = ProcessIdentity(pid: 1, uid: 7, executable: "/opt/other")
    let bench = bench()
    #expect(isRefused(bench.handle(call(1, isAllowed: false, process: own))))
    bench.install()
    #expect(isRefused(bench.handle(call(1, isAllowed: false, process: other))))
    #expect(isRefused(bench.handle(call(1, isAllowed: false, process: nil))))
    #expect(requested(bench.handle(call(1, isAllowed: false, process: own))) != nil)
  }

  @Test func `The bundle, the unit and the sandbox of a process name its app`() {
    let processes = [
      ProcessIdentity(pid: 1, uid: 7, isSandboxed: true, sandboxedApp: Self.app.string),
      ProcessIdentity(pid: 1, uid: 7, unitApp: Self.app.string),
      ProcessIdentity(pid: 1, uid: 7, bundleApp: Self.app.string),
    ]
    for process in processes {
      #expect(requested(bench().handle(call(1, isAllowed: false, process: process))) != nil)
      #expect(
        isRefused(
          bench().handle(call(1, isAllowed: false, process: process, service: "org.example.x"))))
    }
  }

  @Test func `A process of another user, or one that cannot be inspected, is refused`() {
    let unit = Self.app.string
    for process in [
      ProcessIdentity(pid: 1, uid: 8, unitApp: unit),
      ProcessIdentity(pid: 1, uid: 0, unitApp: unit),
      ProcessIdentity(pid: 1, uid: 7, obstacle: .ended, unitApp: unit),
      ProcessIdentity(pid: 1, uid: 7, obstacle: .unknownSandbox, unitApp: unit),
    ] {
      #expect(isRefused(bench().handle(call(1, isAllowed: false, process: process))))
    }
  }

  @Test func `A development app's ID does not authorize a process on the bus`() {
    let bench = bench()
    bench.connect()
    let process = ProcessIdentity(pid: 1, uid: 7, executable: "/opt/org.example.burger")
    #expect(isRefused(bench.handle(call(1, isAllowed: false, process: process))))
  }

  @Test func `A message is acknowledged after its record, and a repetition only acknowledged`()
    throws
  {
    let disk = BenchDisk()
    let bench = bench(disk)
    let subject = try registered(bench)
    let id = NotificationID(high: 3, low: 4)
    let event = AgentEvent.unifiedPush(
      .received(ReceivedWebPush(subject: subject, id: id, payload: [7])))
    let effects = bench.decide(event)
    let position = effects.firstIndex(of: .acknowledge(id))
    let record = effects.firstIndex {
      if case .persist(.put(.messages, _, _)) = $0 { true } else { false }
    }
    #expect(try #require(record) < (try #require(position)))
    disk.commit(effects)
    for case .unifiedPush(.call(let call)) in effects {
      bench.handle(.unifiedPush(.delivered(service: call.service, call: call.number)))
    }
    #expect(disk.keys(.messages) == [])
    #expect(bench.handle(event) == [.acknowledge(id)])
    // The agent remembers the message after a restart, as the link does.
    let next = bench.restarted().started()
    #expect(next.model.rememberedPushes.contains(id))
    #expect(next.handle(event) == [.acknowledge(id)])
  }

  @Test func `If the disk rejects a registration or a message, it is not confirmed`() {
    let id = NotificationID(high: 3, low: 4)
    #expect(AgentEffect.acknowledge(id).after(.refused) == .rejectPush(id))
    let answer = AgentEffect.unifiedPush(.answer(1, .registered))
    #expect(answer.after(.refused) == .unifiedPush(.answer(1, .failed(.internalError))))
    #expect(answer.after(.durable) == answer)
  }

  @Test func `A restarted agent renews its subscriptions on the link`() throws {
    let disk = BenchDisk()
    let subject = try registered(bench(disk))
    let next = ModelBench(disk: disk, isStarted: false, servesUnifiedPush: true)
    #expect(requested(next.start()) == subject)
    let off = ModelBench(disk: disk, isStarted: false)
    #expect(requested(off.start()) == nil)
  }

  @Test func `Commands list and end registrations`() throws {
    let bench = bench()
    let subject = try registered(bench)
    let row = try #require(bench.command(.subscriptions).answers.first?.rows.first)
    #expect(row["service"] == "org.example.burger" && row["token"] == "t")
    #expect(row["endpoint"] == "https://push.example.org/push/AQ" && row["waiting"] == 0)
    #expect(
      bench.command(.removeSubscription(token: "x")).refusalMessages
        == ["no registration has this token: see 'belfry unifiedpush list'"])
    let effects = bench.command(.removeSubscription(token: "t"))
    #expect(effects.contains(.unifiedPush(.unsubscribe(subject))))
    #expect(bench.command(.subscriptions).answers.first?.rows == [])
  }

  @Test func `A command tests the distributor`() throws {
    let bench = bench()
    let (connection, _) = bench.connect(role: .control)
    let effects = bench.ask(connection, .control(.testSubscription))
    let subject = try #require(requested(effects))
    let rows = bench.handle(.unifiedPush(.subscribed(subject, id: [1]))).answers.first?.rows
    #expect(rows?.compactMap { $0["state"]?.stringValue } == ["ok", "ok", "ok", "ok"])
    let off = ModelBench()
    let answer = off.command(.testSubscription).answers.first?.rows
    #expect(answer?.first?["step"] == "bus" && answer?.first?["state"] == "failed")
  }

  @Test func `The diagnosis has a line about the distributor`() {
    func finding(_ bench: ModelBench) -> Finding? {
      for case .diagnose(_, let model) in bench.command(.diagnose) { return model.unifiedPush }
      return nil
    }
    let bench = bench()
    #expect(finding(bench)?.feature == "UnifiedPush")
    #expect(finding(bench)?.isFine == true && finding(bench)?.detail == "0 registrations")
    bench.handle(.unifiedPush(.linkUp(origin: "")))
    #expect(finding(bench)?.advice == "start the gateway with --web-push-port")
    bench.handle(.unifiedPush(.notServed(.nameTaken)))
    #expect(finding(bench)?.isFine == false)
    #expect(finding(ModelBench())?.detail == "off")
  }
}
