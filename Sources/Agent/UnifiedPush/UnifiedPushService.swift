import BelfryWire
import System

/// The distributor on the session bus: its name, its object, and the calls to apps.
///
/// The service makes no decisions about registrations and messages: it reports what happens on the bus, and carries out
/// the effects of ``UnifiedPush``. No method waits for another program.
final class UnifiedPushService {
  /// The name that the distributor owns.
  static let name = "org.unifiedpush.Distributor.belfry"
  static let path = "/org/unifiedpush/Distributor"

  private let log: Log
  private let report: (UnifiedPushEvent) -> Void
  /// Returns the name on the bus of the app that has registered a token.
  private let findService: (UTF8Text) -> UTF8Text?
  /// Returns true if an app with this name on the bus has a registration or a call that waits for it.
  private let isRegistered: (UTF8Text) -> Bool
  private let inspect: (Int32) -> ProcessIdentity
  /// The time, in seconds, within which an app must answer a call.
  private let answerSeconds: UInt64
  private let caller = ConnectorCaller()

  private var bus: BusConnection?
  private var isServed = false
  /// The calls of apps whose callers have not been identified yet, oldest first.
  private var arrived: [(number: UInt64, call: BusCall, request: UnifiedPushRequest)] = []
  private var isIdentifying = false
  /// The calls that have not been answered, with the versions of their interfaces.
  private var unanswered: [UInt64: (call: BusCall, version: UnifiedPushVersion)] = [:]
  private var nextCall: UInt64 = 1
  private var isWarned = false

  /// Creates a service without a bus.
  init(
    log: Log, answerSeconds: UInt64 = Limits.pushAnswerSeconds,
    inspect: @escaping (Int32) -> ProcessIdentity,
    findService: @escaping (UTF8Text) -> UTF8Text?,
    isRegistered: @escaping (UTF8Text) -> Bool, report: @escaping (UnifiedPushEvent) -> Void
  ) {
    self.log = log
    self.answerSeconds = answerSeconds
    self.inspect = inspect
    self.findService = findService
    self.isRegistered = isRegistered
    self.report = report
  }

  /// Uses a session bus that became available; nil if the bus was lost.
  func use(_ bus: BusConnection?) {
    self.bus = bus
    isServed = false
    isIdentifying = false
    arrived = []
    unanswered = [:]
    guard let bus else { return report(.notServed(.noBus)) }
    do {
      try bus.serve(Self.path) { [weak self] call in self?.handle(call) ?? false }
      // One match for all names: programs that connect again and again must not add matches.
      try bus.followOwners { [weak self, weak bus] name, owner in
        guard let self, let bus, self.bus === bus else { return }
        self.ownerChanged(of: UTF8Text(name), to: owner, on: bus)
      }
    } catch {
      // Exporting an object fails only on a closing connection, which `ReconnectingBus` also detects.
      return log.warning("cannot serve UnifiedPush on the session bus", ["why": "\(error)"])
    }
    requestName(on: bus)
  }

  // MARK: - The name

  private func requestName(on bus: BusConnection) {
    let doNotQueue: UInt32 = 4
    bus.callDriver("RequestName", [.string(Self.name), .uint32(doNotQueue)]) {
      [weak self, weak bus] result in
      guard let self, let bus, self.bus === bus else { return }
      switch result.map({ $0.first?.unsignedValue ?? 0 }) {
      case .success(1), .success(4): self.readNames(of: bus)
      case .success: self.onNameTaken("another program owns it")
      case .failure(let failure): self.onNameTaken("\(failure)")
      }
    }
  }

  private func onNameTaken(_ why: String) {
    if !isWarned {
      log.warning(
        "continuing without UnifiedPush, because this agent cannot own the distributor's name: stop the "
          + "program that owns it, or start the agent with --unifiedpush off",
        ["name": Self.name, "why": why])
    }
    isWarned = true
    report(.notServed(.nameTaken))
  }

  /// Reads the names on the bus, then begins to serve.
  private func readNames(of bus: BusConnection) {
    var names: Set<UTF8Text>? = []
    for member in ["ListNames", "ListActivatableNames"] {
      bus.callDriver(member) { result in
        if case .success(let values) = result, let found = values.first?.stringsValue {
          names?.formUnion(found.lazy.map { UTF8Text($0) })
        } else {
          names = nil
        }
      }
    }
    // The bus answers in the order of the calls.
    bus.callDriver("GetId") { [weak self, weak bus] result in
      guard let self, let bus, self.bus === bus else { return }
      let id = (try? result.get())?.first?.stringValue ?? ""
      self.isServed = true
      self.log.info("serving UnifiedPush", ["name": Self.name])
      self.report(.served(bus: UTF8Text(id), names: names))
      self.identifyNext()
    }
  }

  // MARK: - Calls of apps

  private func handle(_ call: BusCall) -> Bool {
    let message = call.message
    if message.interface == "org.freedesktop.DBus.Introspectable", message.member == "Introspect" {
      call.reply(.success([.string(Self.introspection)]))
      return true
    }
    do throws(BusFailure) {
      guard
        let request = try UnifiedPushRequest.read(
          interface: message.interface, member: message.member, try message.read(),
          sender: message.sender)
      else { return false }
      guard unanswered.count < Limits.pushCallsUnanswered else {
        throw BusFailure(
          name: "org.freedesktop.DBus.Error.LimitsExceeded",
          message: "too many calls wait for an answer: try again later")
      }
      let number = nextCall
      nextCall += 1
      unanswered[number] = (call, request.version)
      arrived.append((number, call, request))
      identifyNext()
    } catch {
      log.debug(
        "ignoring a call to the UnifiedPush distributor",
        ["member": message.member, "why": "\(error)"])
      call.reply(.failure(error))
    }
    return true
  }

  /// Identifies the caller of the oldest call.
  ///
  /// Only one call is identified at a time, so that calls are handled in the order in which they arrived. The answers
  /// come from the bus, so no app can delay another.
  private func identifyNext() {
    guard isServed, !isIdentifying, let bus, let next = arrived.first else { return }
    isIdentifying = true
    assert(unanswered[next.number] != nil, "a call is identified before it is answered")
    let (sender, request) = (next.call.message.sender, next.request)
    let registeredToken: UTF8Text =
      switch request.action {
      case .register(let registration): registration.token
      case .unregister(let token): token
      }
    guard let holder = findService(registeredToken), BusName.isUnique(holder),
      holder != UTF8Text(sender)
    else { return identify(request, of: sender, isTokenHeld: false, on: bus) }
    // While its connection exists, the registration belongs to the program that has this unique name.
    bus.findOwner(of: holder.string) { [weak self, weak bus] result in
      guard let self, let bus, self.bus === bus else { return }
      let isHeld = if case .success(let owner) = result { !owner.isEmpty } else { false }
      self.identify(request, of: sender, isTokenHeld: isHeld, on: bus)
    }
  }

  private func identify(
    _ request: UnifiedPushRequest, of sender: String, isTokenHeld: Bool, on bus: BusConnection
  ) {
    let service: UTF8Text? =
      switch request.action {
      case .register(let registration): registration.service
      case .unregister(let token): findService(token)
      }
    guard let service, service != UTF8Text(sender) else {
      return identified(isAllowed: true, isTokenHeld: isTokenHeld, on: bus)
    }
    bus.findOwner(of: service.string) { [weak self, weak bus] result in
      guard let self, let bus, self.bus === bus else { return }
      if case .success(sender) = result {
        return self.identified(isAllowed: true, isTokenHeld: isTokenHeld, on: bus)
      }
      self.inspectProcess(of: sender, isTokenHeld: isTokenHeld, on: bus)
    }
  }

  private func inspectProcess(of sender: String, isTokenHeld: Bool, on bus: BusConnection) {
    bus.callDriver("GetConnectionUnixProcessID", [.string(sender)]) {
      [weak self, weak bus] result in
      guard let self, let bus, self.bus === bus else { return }
      let number = (try? result.get())?.first?.unsignedValue.flatMap(Int32.init(exactly:))
      guard let number else {
        return self.identified(isAllowed: false, isTokenHeld: isTokenHeld, on: bus)
      }
      let process = self.inspect(number)
      // If the caller is still connected, the process number did not belong to another process in the meantime.
      bus.findOwner(of: sender) { [weak self, weak bus] result in
        guard let self, let bus, self.bus === bus else { return }
        let isConnected = (try? result.get()) == sender  // text: the bus assigned the name
        self.identified(
          isAllowed: false, isConnected ? process : nil, isTokenHeld: isTokenHeld, on: bus)
      }
    }
  }

  private func identified(
    isAllowed: Bool, _ process: ProcessIdentity? = nil, isTokenHeld: Bool,
    on bus: BusConnection
  ) {
    isIdentifying = false
    guard !arrived.isEmpty else { return }
    let call = arrived.removeFirst()
    report(
      .called(
        UnifiedPushCall(
          number: call.number, call.request, isAllowed: isAllowed, process: process,
          isTokenHeld: isTokenHeld)))
    identifyNext()
  }

  // MARK: - Effects

  /// Answers the call with this number, unless its bus was lost.
  func answer(_ number: UInt64, _ answer: UnifiedPushAnswer) {
    guard let (call, version) = unanswered.removeValue(forKey: number) else { return }
    let isSecond = version == .two
    switch answer {
    case .registered: call.reply(.success(Self.result("REGISTRATION_SUCCEEDED", nil, isSecond)))
    case .failed(let reason):
      // Version 1 has another word for a refusal that the app cannot change by another try.
      let word =
        reason == .unauthorized && !isSecond ? "REGISTRATION_REFUSED" : "REGISTRATION_FAILED"
      call.reply(.success(Self.result(word, reason, isSecond)))
    case .unregistered: call.reply(.success(isSecond ? [.vardict([])] : []))
    case .denied:
      call.reply(
        .failure(
          BusFailure(
            name: "org.freedesktop.DBus.Error.AccessDenied",
            message: "the registration belongs to another app")))
    }
  }

  private static func result(
    _ word: String, _ reason: UnifiedPushAnswer.Reason?, _ isSecond: Bool
  ) -> [BusValue] {
    guard isSecond else { return [.string(word), .string(reason?.text ?? "")] }
    let reasons = reason.map { [("reason", BusValue.string($0.rawValue))] } ?? []
    return [.vardict([("success", .string(word))] + reasons)]
  }

  /// Reports the end of a connection with a unique name if it ended before its app had a registration.
  func checkOwner(_ name: UTF8Text) {
    guard let bus, BusName.isUnique(name) else { return }
    bus.findOwner(of: name.string) { [weak self, weak bus] result in
      guard let self, let bus, self.bus === bus, case .failure = result else { return }
      self.report(.connectionEnded(name))
    }
  }

  /// Reports that an app's name has an owner again, or that the connection with a unique name has ended.
  private func ownerChanged(of name: UTF8Text, to owner: String, on bus: BusConnection) {
    if name == Self.name {
      if owner.isEmpty, !isServed { requestName(on: bus) }
    } else if isRegistered(name) {
      if !owner.isEmpty {
        report(.nameAppeared(name))
      } else if BusName.isUnique(name) {
        report(.connectionEnded(name))
      }
    }
  }

  /// Calls an app, which the bus starts first if it is not running.
  func call(_ call: ConnectorCall) {
    assert(!call.service.isEmpty, "a call has a destination")
    guard let bus, isServed else { return }
    caller.call(call, on: bus, answerSeconds: answerSeconds) { [weak self, weak bus] failure in
      guard let self, let bus, self.bus === bus else { return }
      if let failure {
        self.report(.deliveryFailed(service: call.service, call: call.number, failure))
      } else {
        self.report(.delivered(service: call.service, call: call.number))
      }
    }
  }
}
