import Agent
import PushWire
import BelfryWire
import Console
import Foundation
import Glibc
import ProviderService
import Storage
import System
import WebPush

/// A run of the token registry, which handles its signals, its ready file, and its shutdown.
final class ProviderRun {
  private let loop: EventLoop
  private let log: Log
  private let folder: ProviderFolder
  private let campaigns: CampaignService
  private let clock: CampaignClock
  private let server: ConsoleServer
  private let address: SocketAddress
  private let host: String
  private let readyFile: String?
  private let options: CommandLineOptions
  private let webPushKey: VAPIDKey
  private var feedback: FeedbackPoller?
  private var watch: RegistryWatch?
  private var isShuttingDown = false
  private var signals: SignalWatcher?
  private lazy var service = ServiceNotifier(on: loop)

  init(_ options: CommandLineOptions, address: SocketAddress) throws {
    loop = try EventLoop()
    self.options = options
    self.address = address
    log = LogOptions.log("provider", options)
    readyFile = options.value("ready-file")
    host = options.value("host") ?? "127.0.0.1"
    // Remove the ready file of a service that was killed, which could be mistaken for this service's file.
    if let readyFile { try FileSystem.remove(readyFile) }
    // If the options specify a service, it must be valid; the user's own gateway can start later.
    if ["gateway", "apple", "key", "certificate"].contains(where: options.isGiven) {
      _ = try SendTarget.configuration(options)
    }
    folder = try ProviderFolder(
      options.value("data") ?? StateFolders.provider, apps: options.values("topic"),
      storeIn: try options.storeLocation())
    if let database = folder.databaseURL {
      log.info(
        "keeping the registry in a PostgreSQL database, which no other provider can use",
        ["database": database])
    }
    for notice in folder.notices { log.error("the registry is damaged", ["what": notice]) }
    for warning in folder.store.warnings { log.warning("\(warning)") }
    let webPushKey = try CampaignWebPush.key(options, folder: folder.path)
    self.webPushKey = webPushKey
    if ["vapid-subject", "web-push-ca"].contains(where: options.isGiven) {
      // A campaign would report invalid options only when it starts.
      _ = try CampaignWebPush.sender(options, key: webPushKey, gatewayAuthority: nil)
    }
    let clock = CampaignClock(log: log)
    self.clock = clock
    campaigns = CampaignService(registry: folder.registry, log: log, clock: clock) {
      do {
        return try CampaignTarget(options).service(options, webPushKey: webPushKey)
      } catch SendFailure.badGatewayFile(let path, let reason) {
        // The options of 'belfry campaign' have no effect on this process.
        throw SendFailure.badGatewayOfProvider(path, reason: reason)
      }
    }
    let router = ProviderRouter(
      registry: folder.registry, campaigns: campaigns, apps: folder.apps,
      adminToken: folder.adminToken, isOpen: options.has("open"),
      tokensPerApp: try ProviderServiceCommand.tokensPerApp(options),
      allowsPrivateEndpoints: options.has("web-push-private-addresses"),
      webPushKey: webPushKey.publicKey.text, log: log)
    let (token, tokenFile) = (folder.adminToken, folder.adminTokenFile)
    let names = options.values("name")
    server = try ConsoleServer(address: address, option: "port", hostOption: "host") { port in
      let console = ProviderConsole(
        router: router, token: token, tokenFile: tokenFile, names: names, port: port)
      return { console.answer($0) }
    }
  }

  /// Runs until a signal is received.
  ///
  /// Returns the exit status.
  func untilStopped() throws -> Int32 {
    signals = try SignalWatcher(on: loop, for: [.terminate, .interrupt]) { [unowned self] _ in
      shutDown()
    }
    compareClocks()
    watch = RegistryWatch(of: folder.registry, log: log)
    try campaigns.resumeInterrupted()
    campaigns.startSchedule()
    if options.isGiven("feedback") {
      feedback = FeedbackPoller(registry: folder.registry, log: log) { [options] in
        try SendTarget.readFeedback(options).map {
          (token: $0.token, unixSeconds: Int64($0.seconds))
        }
      }
    }
    do {
      try ProviderAddress.remember(port: server.port, adminTokenFile: folder.adminTokenFile)
    } catch {
      // Root can run this process as the folder's user, who can't write to root's own folders.
      log.warning(
        "'belfry campaign --provider' needs --data or --admin-token for this service",
        ["why": "\(error)"])
    }
    let text = Array((description.text + "\n").utf8)
    try FileSystem.write(text, to: folder.descriptionFile, mode: 0o600)
    if let readyFile { try FileSystem.write(text, to: readyFile, mode: 0o600) }
    service.ready()
    log.info("ready", ["port": "\(server.port)", "apps": "\(folder.apps.apps.count)"])
    if folder.apps.apps.isEmpty, !options.has("open") {
      log.warning("no app can register tokens: specify the apps with --topic BUNDLE-ID")
    }
    log.info(
      "console ready: open it in a browser and sign in with the admin token",
      ["console": address.consoleURL(port: server.port), "tokenFile": folder.adminTokenFile])
    loop.run()
    return 0
  }

  /// Stops the loop once all requests and pushes in flight have been answered, or after a few seconds.
  ///
  /// If some requests or pushes are still unanswered, nothing is lost: an unfinished transaction is rolled back, and
  /// the next run determines the outcome of the pushes.
  private func shutDown() {
    guard !isShuttingDown else { return }
    isShuttingDown = true
    log.info(
      "shutting down: waiting for responses to requests in flight; other pushes are sent after the next start"
    )
    service.stopping()
    feedback?.stop()
    watch?.stop()
    campaigns.stop()
    let ended = loop.mailbox(of: Void.self) { [loop] _ in loop.stop() }
    Thread.detachNewThread { [server, campaigns] in
      server.finish()
      campaigns.drain()
      ended.post(())
    }
    loop.schedule(afterNanoseconds: Self.shutdownNanoseconds) { [log, loop] in
      log.warning(
        "exited before all requests were answered: clients may repeat requests, and the next run "
          + "determines the outcome of the pushes")
      loop.stop()
    }
  }

  /// The maximum duration of a shutdown, in nanoseconds.
  ///
  /// Service managers kill a service that takes too long. The shortest limit is 10 s, for containers, and this duration
  /// is less than half of it.
  private static let shutdownNanoseconds: Int64 = 4_500_000_000

  /// Follows small corrections of the wall clock, even while no campaign is being sent.
  private func compareClocks() {
    clock.compare()
    loop.schedule(
      afterNanoseconds: Self.clockNanoseconds, slackNanoseconds: Self.clockNanoseconds
    ) { [weak self] in self?.compareClocks() }
  }

  /// The time, in nanoseconds, between comparisons of the clocks.
  private static let clockNanoseconds: Int64 = 10_000_000_000

  /// The object for the ready file.
  private var description: JSONValue {
    let apps = folder.apps.apps.map { app -> JSONValue in
      ["topic": .string(app.bundleID), "keyFile": .string(app.keyFile)]
    }
    return [
      "pid": .integer(Int64(getpid())), "host": .string(host),
      "port": .integer(Int64(server.port)), "adminTokenFile": .string(folder.adminTokenFile),
      "apps": .array(apps), "webPushKey": .string(webPushKey.publicKey.text),
    ]
  }
}
