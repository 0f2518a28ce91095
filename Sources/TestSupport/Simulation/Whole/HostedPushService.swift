import BelfryProvider
import PushWire
import Gateway
import ProviderService

/// The simulated gateway as the provider service uses it: its HTTP/2 interface and its delivery log.
final class HostedPushService: CampaignPushService, @unchecked Sendable {
  // The class is used only on the simulation's own thread, which makes the unchecked conformance safe.
  private unowned let campaign: CampaignSimulation
  private unowned let world: GatewaySimulation
  /// The topic of the campaign.
  ///
  /// The campaign's pushes can replace other pushes to the same app.
  let topic: LinkTopic
  private let client: SimulatedProvider
  /// The number of the provider's current process; answers to requests from an earlier process are dropped.
  private var process = 0
  /// The recipient of each push, as a hexadecimal token.
  private var tokens: [NotificationID: String] = [:]
  /// The delivery log, which survives a crash of the gateway's process.
  private var lines: [GatewayLog.Line] = []
  /// The pushes that the gateway replaced, discarded, or can no longer deliver.
  private var ended: Set<NotificationID> = []

  init(of campaign: CampaignSimulation, in world: GatewaySimulation) {
    self.campaign = campaign
    self.world = world
    let topics = world.topics.filter { !world.agentTokens(of: $0).isEmpty }
    topic = topics.first { world.keep(of: $0) == .max } ?? world.pick(topics)
    client = world.addCampaignProvider()
  }

  var audience: (topic: String, tokens: [[UInt8]]) {
    (topic.bundleID, world.agentTokens(of: topic))
  }

  /// Returns the recipient of a push; nil if the campaign did not send it.
  func token(of id: NotificationID) -> String? { tokens[id] }

  func providerCrashed() {
    process += 1
    client.crash()
  }

  var pushService: PushService {
    let service = self
    return PushService(
      submit: { push, done in service.submit(push, done) },
      log: campaign.profile.hasLog ? log : nil, environment: nil)
  }

  // MARK: The delivery log

  private var log: GatewayLog {
    let service = self
    return GatewayLog(keptLines: campaign.profile.keptLines) {
      service.world.gateway.isReady ? service.world.time.unixMilliseconds : nil
    } read: { receive in
      guard service.world.gateway.isReady else { return false }
      for line in service.lines { receive(line) }
      return true
    }
  }

  /// Handles a line of the gateway's delivery log, in the turn in which it was written.
  func recorded(_ line: DeliveryLogLine) {
    lines.append(
      .init(id: line.id, state: line.state, atMilliseconds: line.atMilliseconds))
    if lines.count > campaign.profile.keptLines { lines.removeFirst() }
    if let token = tokens[line.id] { campaign.note("\(token): \(line.state)") }
    let isEnd = [
      DeliveryState.replaced, .discardedUnregistered, .discardedUnregisteredFromStorage,
      .discardedExpired, .discardedDisabled, .discardedDisabledFromStorage,
    ].contains { $0.label == line.state }
    guard isEnd else { return }
    ended.insert(line.id)
    // These states prove that the push had been stored.
    let isProof = [
      DeliveryState.replaced, .discardedUnregisteredFromStorage, .discardedDisabledFromStorage,
    ].contains { $0.label == line.state }
    if let token = tokens[line.id], isProof {
      campaign.record {
        $0.replaced(token); return nil
      }
    }
  }

  // MARK: Requests

  private func submit(_ push: Push, _ done: @escaping PushCompletion) {
    let token = push.deviceToken
    campaign.record {
      $0.submit(
        token, while: campaign.provider.storedState,
        isAllowedNow: campaign.provider.isAllowed(token))
    }
    guard let id = NotificationID((push.id ?? "").utf8Span.span) else {
      return campaign.fail("a push has no ID")
    }
    assert(tokens[id] ?? token == token, "an ID belongs to one recipient")
    tokens[id] = token
    campaign.note("\(token) is sent")
    let process = process
    client.submit(push) { [unowned self] result in
      guard process == self.process else { return }
      campaign.note("\(token) is answered: \(result)")
      switch result {
      case .success(.accepted):
        campaign.record {
          $0.told(token); return nil
        }
      case .success(.rejected(let refusal)) where [400, 410].contains(refusal.status):
        campaign.record {
          $0.refuse(token); return nil
        }
      case .success(.rejected(let refusal)) where refusal.status == 500:
        if !campaign.profile.hasLog {
          campaign.record {
            $0.interrupted(token); return nil
          }
        }
      case .success, .failure: break
      }
      done(result)
    }
  }

  // MARK: The end of the run

  /// Returns a description of the first device that never got its push, although the campaign was told that the push
  /// was accepted.
  ///
  /// The check is skipped if the app keeps only a few notifications, because other pushes can then replace the
  /// campaign's pushes.
  func check(_ ledger: CampaignLedger) -> String? {
    guard world.keep(of: topic) == .max else { return nil }
    for (id, token) in tokens.sorted(by: { $0.value < $1.value }) {
      guard let device = ledger.devices[token], device.isTold, device.arrivals.isEmpty,
        !ended.contains(id), let target = world.target(of: token),
        let recipient = world.recipient(target.device), recipient is AgentDevice,
        recipient.wants(topic), !world.wasUnwanted(target)
      else { continue }
      return "the campaign was told that \(token) was accepted, but the device never got it"
    }
    return nil
  }
}
