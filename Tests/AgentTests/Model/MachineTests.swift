import AppWire
import Testing

@testable import Agent

/// Tests of each state machine of the model in isolation.
@Suite struct MachineTests {
  static let fries: AppID = {
    guard let id = AppID("org.example.fries") else { preconditionFailure("a valid id") }
    return id
  }()

  /// Returns the result of a mutating call, for use in an expectation.
  private func did<Value>(_ call: () -> Value) -> Value { call() }

  private func context(_ apps: AppID...) -> AgentContext {
    var context = AgentContext(
      AgentModel.Configuration(agentRun: "run", userID: 7), AgentModel.LookUps())
    for app in apps { context.add(LocalApp(id: app)) }
    _ = context.takeEffects()
    return context
  }

  @Test
  func `connections track which app is in front and which questions a lost connection leaves open`()
  {
    var connections = AppConnections()
    let ids = (1...3).map { ConnectionID(number: $0) }
    for id in ids {
      connections.admit(id, role: .app, app: ModelBench.burger, .background, process: 1)
    }
    #expect(connections.presence(of: ModelBench.burger) == .background)
    #expect(connections.presence(of: Self.fries) == .notRunning)
    connections.setState(ids[0], .foreground)
    #expect(connections.peers(of: ModelBench.burger).map(\.connection) == [ids[0], ids[2], ids[1]])
    let key = ResponseTests.key()
    let question = connections.open(.willPresent(key, order: 1), on: ids[0])
    _ = connections.open(.fetch(ModelBench.burger), on: ids[0])
    #expect(connections.areAskedWhatToShow && connections.areAskedWhatToShow(order: 1))
    connections.checkInvariants()
    let ended = connections.disconnect(ids[0])
    #expect(
      ended?.1.map(\.1) == [.willPresent(key, order: 1), .fetch(ModelBench.burger)])
    #expect(!connections.areAskedWhatToShow && did { connections.close(question) } == nil)
    #expect(connections.presence(of: ModelBench.burger) == .background)
    connections.checkInvariants()
  }

  @Test func `the registry finds apps by programs and windows, as they change`() {
    var registry = AppRegistry(languages: ["en"])
    var record = LocalApp(id: ModelBench.burger)
    record.installation = LocalApp.Installation(executable: "/opt/a")
    record.installation?.windowClass = "Burger"
    _ = registry.put(record)
    #expect(registry.installedApp(running: "/opt/a")?.id == ModelBench.burger)
    #expect(registry.app(ofWindowClass: "Burger") == ModelBench.burger)
    #expect(did { registry.update(ModelBench.burger) { $0.badge = 0 } } == nil)
    #expect(
      did { registry.update(ModelBench.burger) { $0.installation?.executable = "/opt/b" } } != nil)
    #expect(registry.installedApp(running: "/opt/a") == nil)
    #expect(registry.installedApp(running: "/opt/b")?.id == ModelBench.burger)
    registry.checkInvariants()
    // Several apps can have a program that is installed with arguments, so the program does not prove an app's
    // identity.
    _ = registry.update(ModelBench.burger) { $0.installation?.arguments = ["-x"] }
    #expect(registry.installedApp(running: "/opt/b") == nil)
    #expect(did { registry.remove(ModelBench.burger) } != nil && registry.count == 0)
    #expect(registry.app(ofWindowClass: "Burger") == nil)
    registry.checkInvariants()
  }

  @Test func `a launch is claimed once, by its own token`() {
    var launches = AppLaunches(agentRun: "run")
    let record = LocalApp(id: ModelBench.burger)
    let order = launches.order(
      record, .push, isForeground: false, activationToken: nil, atAwakeMilliseconds: 0)
    #expect(launches.isAwaited(ModelBench.burger, token: order.token))
    #expect(did { launches.claim(ModelBench.burger, token: "other", isAnyTokenGood: false) } == nil)
    #expect(
      did { launches.claim(ModelBench.burger, token: order.token, isAnyTokenGood: false) } == false)
    #expect(
      did { launches.claim(ModelBench.burger, token: order.token, isAnyTokenGood: true) } == nil)
    let second = launches.order(
      record, .push, isForeground: false, activationToken: nil, atAwakeMilliseconds: 0)
    #expect(second.token != order.token)
    #expect(did { launches.claim(ModelBench.burger, token: nil, isAnyTokenGood: true) } == false)
  }

  @Test func `the end of a session removes its lock, but not a lock that a command set`()
    throws
  {
    let context = context()
    var conditions = DeviceConditions()
    conditions.apply(.sessionLocked(true))
    conditions.apply(.sessionEnded)
    #expect(!conditions.isLocked)
    conditions = try conditions.changed(by: ["locked": "on"], FrontApp(), context)
    conditions.apply(.sessionEnded)
    #expect(conditions.isLocked)
    conditions.apply(.batteryLow(true))
    conditions.apply(.asleep(true))
    #expect(conditions.deviceState == [.asleep, .powerRestricted, .batteryLow])
    conditions.apply(.servicesLost)
    #expect(conditions.deviceState == [] && conditions.isLocked && !conditions.holdsBackgroundWork)
    conditions.checkInvariants()
    #expect(throws: AppLinkFailure.self) {
      try conditions.changed(by: ["locked": "perhaps"], FrontApp(), context)
    }
    #expect(throws: AppLinkFailure.self) {
      try conditions.changed(by: ["front": "org.example.nobody"], FrontApp(), context)
    }
  }

  @Test func `the list tells deliveries of one name apart, and bounds those of an app`() {
    var list = DeliveredList()
    let request = ModelBench.request()
    let key = ResponseTests.key()
    let first = list.put(key, RetainedNotification(request, unixMilliseconds: 1))
    let second = list.put(key, RetainedNotification(request, unixMilliseconds: 2))
    #expect(list.entry(key, order: first.order) == nil)
    #expect(list.entry(key, order: second.order) == second)
    list.reserve(order: 90)
    let other = AppNotificationID(app: Self.fries, id: "n")
    #expect(did { list.put(other, RetainedNotification(request, unixMilliseconds: 3)) }.order == 91)
    #expect(list.keys(named: "n") == [key, other])
    #expect(list.excess(of: Self.fries, limit: 1, bytes: .max).isEmpty)
    let newer = AppNotificationID(app: Self.fries, id: "newer")
    let last = ModelBench.request("newer")
    #expect(did { list.put(newer, RetainedNotification(last, unixMilliseconds: 4)) }.order == 92)
    #expect(list.excess(of: Self.fries, limit: 1, bytes: .max).map(\.key) == [other])
    for key in [other, newer] { _ = list.update(key) { $0.bytes = 10 } }
    #expect(list.excess(of: Self.fries, limit: 9, bytes: 20).isEmpty)
    #expect(list.excess(of: Self.fries, limit: 9, bytes: 19).map(\.key) == [other])
    #expect(list.excess(of: Self.fries, limit: 9, bytes: 0).map(\.key) == [other])
    #expect(did { list.remove(key) } == second && did { list.remove(key) } == nil)
    list.checkInvariants(context(Self.fries).apps)
  }

  @Test func `the list removes no more than its limits require`() {
    var list = DeliveredList()
    for number in 1...3 {
      let key = ResponseTests.key("\(number)")
      let retained = RetainedNotification(
        ModelBench.request("\(number)"), unixMilliseconds: Int64(number))
      _ = list.put(key, retained)
      _ = list.update(key) { $0.bytes = 10 }
    }
    func excess(limit: Int, bytes: Int) -> [String] {
      list.excess(of: ModelBench.burger, limit: limit, bytes: bytes).map(\.key.id)
    }
    #expect(excess(limit: 2, bytes: .max) == ["1"])
    #expect(excess(limit: 9, bytes: 20) == ["1"])
    #expect(excess(limit: 9, bytes: 19) == ["1", "2"])
  }

  @Test func `the order of a damaged record does not affect the orders of later notifications`() {
    let context = context(ModelBench.burger)
    func retained(_ id: String) -> RetainedNotification {
      RetainedNotification(ModelBench.request(id), unixMilliseconds: 1)
    }
    for (order, next) in [
      (.max, 1), (.max / 2, 1), (.max / 2 - 1, .max / 2), (7, 8), (-1, 1),
    ] as [(Int64, Int64)] {
      var list = DeliveredList()
      list.restore(
        DeliveredList.Entry(
          key: ResponseTests.key("old"), retained: retained("old"), order: order, isListed: true,
          isShown: true))
      #expect(did { list.put(ResponseTests.key("new"), retained("new")) }.order == next)
      list.checkInvariants(context.apps)
    }
  }

  @Test func `an app of which no instance is running is not asked`() {
    var context = context(ModelBench.burger)
    let event = AppEvent.backgroundTimeEnds
    let purpose = QuestionPurpose.expiration(ModelBench.burger)
    #expect(
      did { context.ask(ModelBench.burger, event, purpose, timeoutMilliseconds: 1_000) } == false)
    #expect(did { context.takeEffects() }.isEmpty)
    let connection = ConnectionID(number: 1)
    context.admit(connection, role: .app, app: ModelBench.burger, .background, process: 1)
    #expect(did { context.ask(ModelBench.burger, event, purpose, timeoutMilliseconds: 1_000) })
    #expect(did { context.takeEffects() }.asked.map(\.0.connection) == [connection])
  }

  @Test func `responses are bounded, told once at a time, and gone once handled`() {
    var context = context(ModelBench.burger)
    var responses = Responses()
    var list = DeliveredList()
    for number in 0...Limits.waitingResponsesPerApp {
      let key = ResponseTests.key("\(number)")
      let entry = list.put(
        key, RetainedNotification(ModelBench.request(key.id), unixMilliseconds: 1))
      _ = responses.add(entry, .open, &context)
      responses.checkInvariants(context)
    }
    #expect(
      did { context.takeEffects() }.contains(
        .persist(.remove(.responses, key: "\(ModelBench.burger)/1"))))
    #expect(responses.first(of: ModelBench.burger)?.retained.id == "1")
    let connection = ConnectionID(number: 1)
    context.admit(connection, role: .app, app: ModelBench.burger, .background, process: 1)
    responses.sendAll(to: ModelBench.burger, &context)
    #expect(did { context.takeEffects() }.asked.count == Limits.waitingResponsesPerApp)
    responses.sendAll(to: ModelBench.burger, &context)
    #expect(did { context.takeEffects() }.isEmpty)
    responses.onHandled(ModelBench.burger, key: "\(ModelBench.burger)/2", &context)
    #expect(
      did { context.takeEffects() } == [
        .persist(.remove(.responses, key: "\(ModelBench.burger)/2"))
      ])
    responses.onAppRemoved(ModelBench.burger, &context)
    #expect(responses.first(of: ModelBench.burger) == nil)
    responses.checkInvariants(context)
  }

  @Test
  func `registrations fail without a gateway, and a token that nobody requested is unregistered`() {
    var context = context(ModelBench.burger)
    let requestID = RequestID(connection: ConnectionID(number: 1), number: 1)
    var alone = Registrations(hasGateway: false)
    alone.onRegister(requestID, ModelBench.burger, .alert, &context)
    #expect(context.apps[ModelBench.burger]?.registrations.isEmpty == true)
    var registrations = Registrations(hasGateway: true)
    registrations.onLinkChanged(isUp: true, &context)
    _ = context.takeEffects()
    registrations.onToken(ModelBench.burger, .alert, [1], &context)
    #expect(did { context.takeEffects() }.last == .unregister(ModelBench.burger, .alert))
    registrations.onRegister(requestID, ModelBench.burger, .alert, &context)
    #expect(did { context.takeEffects() }.contains(.register(ModelBench.burger, .alert)))
    registrations.onToken(ModelBench.burger, .alert, [1], &context)
    #expect(context.apps[ModelBench.burger]?.registrations[.alert]?.token == [1])
    registrations.onIdentityReplaced(&context)
    #expect(context.apps[ModelBench.burger]?.registrations[.alert] == LocalApp.Registration())
    registrations.unregister(ModelBench.burger, .alert, &context)
    #expect(did { context.takeEffects() }.last == .unregister(ModelBench.burger, .alert))
    registrations.checkInvariants(context)
  }

  @Test func `data of another machine has no registrations, and a refusal is remembered`() throws {
    var context = context(ModelBench.burger)
    let requestID = RequestID(connection: ConnectionID(number: 1), number: 1)
    var registrations = Registrations(hasGateway: true)
    registrations.onRegister(requestID, ModelBench.burger, .alert, &context)
    registrations.onToken(ModelBench.burger, .alert, [1], &context)
    #expect(try registrations.token(of: ModelBench.burger, .alert, context) == [1])
    registrations.onIdentityReplaced(&context)
    // The app is being registered again.
    #expect(throws: AppLinkFailure.self) {
      try registrations.token(of: ModelBench.burger, .alert, context)
    }
    registrations.onMachineReplaced(&context)
    #expect(context.apps[ModelBench.burger]?.registrations.isEmpty == true)
    #expect(try registrations.token(of: ModelBench.burger, .alert, context) == nil)
    _ = context.takeEffects()
    registrations.announceAll(&context)
    #expect(did { context.takeEffects() }.isEmpty)

    registrations.onRegister(requestID, ModelBench.burger, .alert, &context)
    registrations.onRefused(ModelBench.burger, .alert, "no such topic", &context)
    let failure = #expect(throws: AppLinkFailure.self) {
      try registrations.token(of: ModelBench.burger, .alert, context)
    }
    #expect(failure?.reason == .registrationRefused && failure?.message == "no such topic")
    registrations.unregister(ModelBench.burger, .alert, &context)
    #expect(try registrations.token(of: ModelBench.burger, .alert, context) == nil)
    registrations.checkInvariants(context)
  }

  @Test func `an extension's job is claimed once and ends once`() throws {
    var context = context(ModelBench.burger)
    var extensions = ServiceExtensions()
    let connection = ConnectionID(number: 4)
    extensions.start("/opt/e", for: ResponseTests.key(), order: 3, &context)
    let order = try #require(did { context.takeEffects() }.extensions.first)
    #expect(did { extensions.onGreeted(connection, Self.fries, token: order.token) } == nil)
    context.admit(
      connection, role: .serviceExtension, app: ModelBench.burger, .background, process: 1)
    #expect(
      did { extensions.onGreeted(connection, ModelBench.burger, token: order.token) }?.job.order
        == 3)
    #expect(did { extensions.onGreeted(connection, ModelBench.burger, token: order.token) } == nil)
    extensions.checkInvariants(context)
    extensions.onTimeEnds(order.token, &context)
    #expect(did { context.takeEffects() } == [.tell(connection, .extensionTimeEnds)])
    #expect(did { extensions.finish(order.token) }?.key == ResponseTests.key())
    #expect(
      did { extensions.finish(order.token) } == nil
        && did { extensions.onDisconnected(connection) } == nil)
    extensions.checkInvariants(context)
  }

  @Test func `requests are read from their records once those are durable`() {
    let disk = BenchDisk()
    var requests = ScheduledRequests { disk[.pending, $0.recordKey] }
    var effects: [AgentEffect] = []
    let key = ResponseTests.key()
    let request = ModelBench.request(trigger: .interval(seconds: 60, repeats: false))
    requests.put(key, request, &effects)
    #expect(requests.request(key) == request && disk.keys(.pending).isEmpty)
    disk.commit(effects)
    requests.onRecordsPersisted()
    #expect(requests.request(key) == request)
    requests.remove(key, &effects)
    #expect(requests.request(key) == nil && disk.keys(.pending).count == 1)
    requests.checkInvariants()
  }

  @Test(arguments: [
    ("locked", "on", "off"), ("focus", "on", "off"), ("metered", "on", "off"),
    ("battery", "low", "normal"),
  ])
  func `a command sets one condition, and back`(_ name: String, on: String, off: String) throws {
    let context = context()
    let changed = try DeviceConditions().changed(by: [name: on], FrontApp(), context)
    for member in changed.row.members {
      let isUsual = ["off", "normal"].contains(member.value.stringValue ?? "")
      #expect(isUsual == (member.key != name), "\(member.key)")
    }
    #expect(try changed.changed(by: [name: off], FrontApp(), context) == DeviceConditions())
  }

  @Test func `as many apps as may be are known, and no more`() throws {
    var context = context()
    func identify(_ text: String) throws -> String {
      try AppIdentification(
        configuration: AgentModel.Configuration(agentRun: "run", userID: 7), context: context
      ).identify(
        AppHello(appID: text, isDevelopment: true), ProcessIdentity(pid: 1, uid: 7)
      ).text
    }
    for number in 1..<Limits.apps {
      context.add(LocalApp(id: try #require(AppID("org.example.app\(number)"))))
    }
    #expect(try identify("org.example.last") == "org.example.last")
    context.add(LocalApp(id: try #require(AppID("org.example.last"))))
    #expect(try identify("org.example.last") == "org.example.last")
    let failure = #expect(throws: AppLinkFailure.self) { try identify("org.example.more") }
    #expect(failure?.message.contains("too many") == true)
  }

  @Test func `an action is the notification's own, or its category's`() {
    var app = LocalApp(id: ModelBench.burger)
    app.categories = [ResponseTests.category]
    func brings(_ id: String, _ content: NotificationContent) -> Bool {
      ActionConsequences(id, on: content, of: app).bringsToFront
    }
    var content = NotificationContent()
    content.category = "INVITE"
    #expect(brings("MAYBE", content) && !brings("ACCEPT", content))
    content.actions = [
      NotificationAction(id: "A", title: "A"),
      NotificationAction(id: "B", title: "B", options: [.foreground]),
    ]
    #expect(brings("B", content) && !brings("A", content))
    #expect(brings(NotificationResponse.defaultAction, content))
  }

  @Test func `a question that two are asked is open until both have answered`() {
    var connections = AppConnections()
    let ids = (1...2).map { ConnectionID(number: $0) }
    var questions: [Question] = []
    for id in ids {
      connections.admit(id, role: .app, app: ModelBench.burger, .foreground, process: 1)
      questions.append(connections.open(.willPresent(ResponseTests.key(), order: 1), on: id))
    }
    for question in questions {
      #expect(connections.areAskedWhatToShow(order: 1))
      #expect(did { connections.close(question) } != nil)
      connections.checkInvariants()
    }
    #expect(!connections.areAskedWhatToShow(order: 1))
  }
}
