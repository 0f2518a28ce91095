import BelfryWire
import PushWire
import Gateway
import Storage
import System
import Transport

// The tokens, apps, and channels of a simulated gateway, and what providers and devices learn about them.
extension GatewaySimulation {
  /// The gateway as a push service for the campaign; nil until a campaign begins.
  var hostedService: HostedPushService? { campaign?.service as? HostedPushService }

  /// Returns the gateway's number for an app, or 0 if the gateway has not created the app.
  func app(of topic: LinkTopic) -> UInt32 {
    gateway.controlStore.appNumbers[topic.bundleID] ?? 0
  }

  /// Handles a device's new token, which the app reports to the providers.
  func registered(_ topic: LinkTopic, token: [UInt8], on device: any SimulatedRecipient) {
    guard let contents = tokens.open(token.span) else {
      return fail("device \(device.index) received an invalid token")
    }
    expect(contents.device == device.number, "device \(device.index) got another device's token")
    let key = NotificationKey(contents)
    expect(
      gateway.controlStore.wasDurable(key, generation: contents.generation),
      "device \(device.index) received a token for \(topic.bundleID) that is not on disk")
    let target = DeliveryLedger.Target(device: device.number, topic: topic)
    time.after(random(0...500_000_000)) { [self] in
      if !knownTokens.contains(where: { $0.token == token }) {
        knownTokens.append((target, token))
        reportedTokens[Hexadecimal.encode(token)] = target
      }
    }
  }

  func pushRefusedAsUnregistered(_ number: UInt64, _ topic: LinkTopic, token: [UInt8]) {
    guard let known = knownTokens.firstIndex(where: { $0.token == token }) else { return }
    let target = knownTokens[known].target
    let isRevoked = recipient(target.device)?.mayBeRevoked == true
    expect(
      wasUnwanted(target) || isRevoked, "#\(number) was refused as unregistered, but is registered")
    knownTokens.remove(at: known)
  }

  func feedbackNames(_ token: [UInt8]) {
    guard let contents = tokens.open(token.span) else {
      return fail("the feedback service returned an invalid token")
    }
    expect(contents.app == 1, "the feedback service returned another app's token")
    let isUnwanted =
      unwanted.contains { $0.device == contents.device }
      || devices.contains { $0.number == contents.device && $0.mayBeRevoked }
    expect(isUnwanted, "the feedback service returned a token that was never unregistered")
  }

  func madeChannel(status: Int, _ text: String?) {
    guard status == 201 else {
      return expect(
        isTroubled || wasTroubledLately, "creating a channel failed with status \(status)")
    }
    guard let text, let bytes = Base64.decode(Array(text.utf8).span), let id = ChannelID(bytes)
    else { return fail("a channel was created with the invalid ID \(text ?? "")") }
    expect(
      gateway.controlStore.durableChannels.contains(bytes), "channel \(text) is not on disk")
    extraChannels.append(id)
  }

  func removedChannel(_ id: ChannelID, status: Int) {
    note("removing channel \(id.text) was answered with \(status)")
    expect(
      status == 204 || status == 404 || status == 400 || isTroubled || wasTroubledLately,
      "removing a channel failed with status \(status)")
  }

  /// Returns a channel that a provider created and that should now be removed.
  func takeExtraChannel() -> ChannelID? {
    extraChannels.isEmpty ? nil : extraChannels.removeFirst()
  }

  /// Returns the latest token that the topic's app on the device has reported to its providers; nil if the app
  /// has reported none.
  func knownToken(
    of topic: LinkTopic, on device: SimulatedDevice
  ) -> (target: DeliveryLedger.Target, token: [UInt8])? {
    knownTokens.last { $0.target == .init(device: device.number, topic: topic) }
  }

  /// Returns a token that at least one provider knows, whether or not the token is current.
  func anyToken() -> (target: DeliveryLedger.Target, token: [UInt8])? {
    knownTokens.isEmpty ? nil : knownTokens[random(0...knownTokens.count - 1)]
  }
}
