public import BelfryWire
public import Storage
internal import System
internal import Synchronization

/// An object that carries out administrators' requests on the control store of a running or stopped gateway.
///
/// A running gateway is notified of each change. Methods block and can be called on any thread. Requests are carried
/// out one at a time.
public final class Administration: Sendable {
  /// The dependencies that only a running gateway has.
  public struct Runtime: Sendable {
    /// A function that is called after each durable change, on the caller's thread.
    public var didChange: @Sendable ([ControlChange]) -> Void
    /// The registry of scripted answers.
    public var faults: FaultRegistry
    /// A function that returns each device's presence, as far as the loops know: whether the device is connected or, if
    /// not, when it disconnected.
    var presences: @Sendable () throws(AdministrationFailure) -> Presences = { ([:], []) }
    /// The store of queued notifications; nil if the gateway doesn't provide one.
    var notifications: (any NotificationStore)?
    /// The payloads of the newest pushes; nil if they aren't retained.
    var payloads: DeliveryLogPayloads?
    /// A function that gives the folder's changed keys to the other nodes of a cluster.
    var keepSecrets: @Sendable () throws -> Void = {}
    /// A function that returns the state of the connection to an app's upstream; nil if the app has no upstream.
    var upstreamState: @Sendable (_ app: UInt32) -> String? = { _ in nil }
    /// The cluster that the gateway is a node of; nil for a single gateway.
    var cluster: ClusterNodeRuntime?
    /// The log for administrators' changes.
    var changeLog = Log.silent
    /// The source of the delivery log.
    public var log: any DeliveryLogSource

    /// Creates the dependencies of a running gateway.
    public init(
      faults: FaultRegistry, log: any DeliveryLogSource,
      didChange: @escaping @Sendable ([ControlChange]) -> Void
    ) {
      self.didChange = didChange
      self.faults = faults
      self.log = log
    }
  }

  /// The presences of devices, and the names of the nodes of a cluster that did not answer.
  typealias Presences = (devices: [UInt64: DevicePresence], missingNodes: [String])

  let folder: GatewayFolder
  let store: any ControlStore
  let environment: BelfryWire.Environment
  let runtime: Runtime?
  /// The name of the gateway's only environment: sandbox or production.
  public var environmentName: String { environment.name }
  /// The number of active faults; 0 for a stopped gateway, which answers no requests.
  public var activeFaultCount: Int { runtime?.faults.all.count ?? 0 }
  /// The names of the other nodes of the cluster that stopped in the last days; empty for a single gateway.
  ///
  /// The lines of their delivery logs, and the times at which devices disconnected from them, are not known.
  public var stoppedNodes: [String] { runtime?.cluster?.stoppedNodes ?? [] }
  private let turn = Mutex(())
  /// The changes of the current turn that other nodes of a cluster must apply.
  private let unconfirmed = Mutex<[ControlChange]>([])
  private let unixMilliseconds: @Sendable () -> Int64
  /// The lock on the folder of a stopped gateway; nil for a running gateway, which locks the folder itself.
  private let lock: DataFolder?

  /// Creates the administration of a running gateway.
  public convenience init(
    folder: GatewayFolder, store: any ControlStore, environment: BelfryWire.Environment,
    runtime: Runtime
  ) {
    self.init(folder: folder, store: store, environment: environment, runtime: runtime) {
      SystemClock.unixMilliseconds
    }
  }

  /// Creates the administration of a running gateway with the given wall clock.
  init(
    folder: GatewayFolder, store: any ControlStore, environment: BelfryWire.Environment,
    runtime: Runtime, unixMilliseconds: @escaping @Sendable () -> Int64
  ) {
    self.unixMilliseconds = unixMilliseconds
    self.folder = folder
    self.store = store
    self.environment = environment
    self.runtime = runtime
    lock = nil
  }

  /// Creates the administration of the stopped gateway in `folder`, and locks the folder until the administration is
  /// deinitialized.
  public init(stopped folder: GatewayFolder) throws(AdministrationFailure) {
    unixMilliseconds = { SystemClock.unixMilliseconds }
    try folder.requireGateway()
    do throws(StorageFailure) {
      lock = try DataFolder(folder.path)
    } catch {
      throw AdministrationFailure(error)
    }
    store = try folder.openControlStore()
    do throws(StorageFailure) {
      let name = try store.setting(ControlSetting.environment) ?? []
      environment =
        BelfryWire.Environment(name: String(decoding: name, as: UTF8.self)) ?? .sandbox
    } catch {
      throw AdministrationFailure(error)
    }
    self.folder = folder
    runtime = nil
  }

  /// Carries out a request.
  ///
  /// Returns one object per line, with the keys that the contract defines.
  public func perform(
    _ request: AdministrationRequest
  ) throws(AdministrationFailure) -> [JSONObject] {
    try answer(to: request).lines
  }

  /// Carries out a request.
  ///
  /// Returns one object per line, with the keys that the contract defines, and the names of the cluster's nodes
  /// whose data is missing because they did not answer.
  public func answer(
    to request: AdministrationRequest
  ) throws(AdministrationFailure) -> (lines: [JSONObject], missingNodes: [String]) {
    let turnResult: (AdministrationAnswer, [ControlChange], [String]) = turn.withLock { _ in
      var missing: [String] = []
      var answer: AdministrationAnswer
      do throws(StorageFailure) {
        answer = try perform(request, now: unixMilliseconds(), &missing)
      } catch {
        answer = .failure(AdministrationFailure(error))
      }
      return (answer, unconfirmed.withLock { exchange(&$0, with: []) }, missing)
    }
    let (answer, changes, missing) = turnResult
    // Other requests are carried out while this one waits for a dead node, which can take a minute.
    if !changes.isEmpty { runtime?.cluster?.wait(for: changes) }
    let lines = try answer.get()
    logChange(by: request, answer: lines)
    return (lines, missing)
  }

  /// Returns the latest `limit` lines of the delivery log that match `text` and the filter, oldest first.
  ///
  /// `text` is a device token or an ID; nil matches every line. In a cluster, the lines of the other nodes are included;
  /// `missingNodes` are the names of those that did not answer.
  public func log(
    of text: String?, where filter: DeliveryLogFilter, limit: Int = .max
  ) throws(AdministrationFailure) -> (lines: [JSONObject], missingNodes: [String]) {
    let query = try Self.logQuery(text)
    var lines = try lines(of: query)
    var missing: [String] = []
    if let cluster = runtime?.cluster {
      do throws(StorageFailure) {
        let others = try cluster.linesElsewhere(of: query)
        missing = others.missing
        lines = DeliveryLogLine.chronological(lines + others.lines)
      } catch {
        throw AdministrationFailure(error)
      }
    }
    return (
      lines.filter(filter.matches).suffix(limit).map(AdministrationLines.line), missing
    )
  }

  /// Calls `receive` with each new line of the delivery log that matches `text` and the filter, until `receive` returns
  /// false.
  ///
  /// `text` is a device token or an ID; nil matches every line. The method returns the latest `limit` earlier lines
  /// that match, oldest first. `receive` can be called before the method returns.
  public func follow(
    _ text: String?, where filter: DeliveryLogFilter = DeliveryLogFilter(), limit: Int = .max,
    _ receive: @escaping @Sendable ([JSONObject]) -> Bool
  ) throws(AdministrationFailure) -> [JSONObject] {
    let query = try Self.logQuery(text)
    guard let runtime else {
      throw AdministrationFailure(
        .conflict, "following the delivery log requires a running gateway",
        do: "start it with 'belfry gateway'")
    }
    let earlier = try runtime.log.follow(query) { lines in
      let lines = lines.filter(filter.matches)
      return lines.isEmpty || receive(lines.map(AdministrationLines.line))
    }
    return earlier.filter(filter.matches).suffix(limit).map(AdministrationLines.line)
  }

  private func perform(
    _ request: AdministrationRequest, now: Int64, _ missingNodes: inout [String]
  ) throws(StorageFailure) -> AdministrationAnswer {
    let lines = AdministrationLines.self
    switch request {
    case .listTeams: return .success(try store.teams().map(lines.line))
    case .addTeam(let id, let name): return try addTeam(id, name, now)
    case .removeTeam(let id, let isForced): return try removeTeam(id, isForced: isForced)
    case .listKeys: return try listKeys(now)
    case .addKey(let key): return try addKey(key, now)
    case .revokeKey(let id): return try revokeKey(id, now)
    case .makeProviderToken(let key): return try makeProviderToken(key, now)
    case .listCertificates: return .success(try certificateLines())
    case .addCertificate(let certificate): return try addCertificate(certificate, now)
    case .revokeCertificate(let serial): return try revokeCertificate(serial, now)
    case .listTopics: return .success(try store.apps().map(lines.line))
    case .addTopic(let topic): return try addTopic(topic, now)
    case .removeTopic(let bundleID, let isForced):
      return try removeTopic(bundleID, isForced: isForced)
    case .listUpstreams: return try listUpstreams()
    case .addUpstream(let upstream): return try addUpstream(upstream, now)
    case .removeUpstream(let topic): return try removeUpstream(topic: topic)
    case .listChannels: return try listChannels()
    case .addChannel(let bundleID, let keepsLatest):
      return try addChannel(bundleID, keepsLatest, now)
    case .removeChannel(let id, let bundleID): return try removeChannel(id, bundleID)
    case .listDevices(let text): return try listDevices(of: text, &missingNodes)
    case .listDeviceApps(let number): return try listApps(ofDevice: number)
    case .revokeDevice(let number): return try revokeDevice(number, now)
    case .enrollmentCode: return try enrollmentCode()
    case .rotateEnrollmentCode: return try rotateEnrollmentCode()
    case .listAuthorities: return try listAuthorities(now)
    case .rotateAuthority: return try rotateAuthority(now)
    case .finishAuthority(let isForced): return try finishAuthority(isForced: isForced, now)
    case .listTokenKeys: return try listTokenKeys()
    case .rotateTokenKey: return try rotateTokenKey()
    case .retireTokenKey(let id, let isForced):
      return try retireTokenKey(id, isForced: isForced)
    case .listNodes: return try listNodes()
    case .drainNode(let name, let isForced): return try drainNode(name, isForced: isForced)
    case .listDamage: return .success(try damageLines())
    case .forgetDamage: return try forgetDamage()
    case .listFaults: return try performFault(request)
    case .addFault, .removeFault, .clearFaults:
      let answer = try performFault(request)
      confirmLater([.putSetting(name: ControlSetting.faults, value: nil)])
      return answer
    case .log(let text): return log(of: text)
    case .checkPush(let draft): return .success([try check(draft, now)])
    case .checkDeviceToken(let token, let topic):
      return .success([try check(deviceToken: token, topic: topic, now)])
    case .checkProviderToken(let token, let topic):
      return .success([try check(providerToken: token, topic: topic, now)])
    }
  }

  /// Makes `changes` durable, then notifies the running gateway.
  func apply(_ changes: [ControlChange]) throws(StorageFailure) {
    try store.apply(changes)
    runtime?.didChange(changes)
    confirmLater(changes)
  }

  /// Makes `changes` durable, notifies the running gateway, and waits until the other nodes have applied the changes,
  /// because the next step requires it.
  func applyEverywhere(_ changes: [ControlChange]) throws(StorageFailure) {
    try store.apply(changes)
    runtime?.didChange(changes)
    runtime?.cluster?.wait(for: changes)
  }

  /// Makes the request wait for the other nodes at its end.
  private func confirmLater(_ changes: [ControlChange]) {
    guard runtime?.cluster != nil else { return }
    unconfirmed.withLock { $0 += changes }
  }
}
