internal import BelfryWire
internal import PushWire

/// The storage policy of a channel, which applies to disconnected devices.
public enum ChannelStorage: Sendable, Equatable {
  /// Nothing is stored; only connected devices receive a broadcast.
  case none
  /// The newest broadcast is stored until it expires.
  case newest
}

/// The reason that a channel request failed.
public enum ChannelFailure: Error, Sendable, Equatable, CustomStringConvertible {
  /// The service refused the request.
  case refused(PushOutcome.Refusal)
  /// No response was received, or the response cannot be read.
  case failed(ProviderFailure)
  /// The request would be refused, so nothing was sent.
  case invalid(PushFault)

  /// A description of the error and how to fix it.
  public var description: String {
    switch self {
    case .refused(let refusal):
      "the service refused the request: "
        + (refusal.reason.isEmpty ? "status \(refusal.status)" : refusal.reason)
    case .failed(let failure): failure.description
    case .invalid(let fault): fault.description
    }
  }
}

/// Operations that manage channels and send broadcasts (apns-protocol section 5).
///
/// A Belfry gateway accepts both kinds of requests on its provider port. Apple's service uses different hosts for
/// channel management: ``ProviderEndpoint/appleSandboxChannels`` and ``ProviderEndpoint/appleProductionChannels``.
/// Broadcasts are sent to the same host as pushes.
extension ProviderClient {
  /// Creates a channel for an app.
  ///
  /// Returns the channel's identifier, to which the app's activities subscribe. The request is sent only once: if the
  /// response is lost, the channel might still have been created.
  public func createChannel(
    of app: String, storage: ChannelStorage
  ) async throws(ChannelFailure) -> String {
    let configuration = ChannelConfiguration(keepsLatest: storage == .newest)
    let answer = try await perform(
      .create(configuration, of: try Self.checked(app)), isRepeatable: false)
    guard let id = answer.channelID, !id.isEmpty else {
      throw .failed(.badAnswer("it contains no channel"))
    }
    return id
  }

  /// Returns the storage policy of a channel.
  public func channelStorage(
    of channel: String, of app: String
  ) async throws(ChannelFailure) -> ChannelStorage {
    let answer = try await perform(
      .read(try Self.checked(channel: channel), of: try Self.checked(app)))
    do throws(ChannelConfiguration.Fault) {
      return try ChannelConfiguration(answer.body).keepsLatest ? .newest : .none
    } catch {
      throw .failed(.badAnswer("it describes no channel"))
    }
  }

  /// Deletes a channel of an app.
  public func deleteChannel(_ channel: String, of app: String) async throws(ChannelFailure) {
    _ = try await perform(
      .delete(try Self.checked(channel: channel), of: try Self.checked(app)))
  }

  /// Returns the identifiers of an app's channels.
  public func channels(of app: String) async throws(ChannelFailure) -> [String] {
    let answer = try await perform(.list(of: try Self.checked(app)))
    guard let object = (try? JSONValue(parsing: answer.body))?.objectValue,
      case .array(let values)? = object["channels"]
    else { throw .failed(.badAnswer("it lists no channels")) }
    return values.compactMap(\.stringValue)
  }

  /// Sends a broadcast and returns the service's response, which can be a refusal.
  ///
  /// The receipt's `id` is the broadcast's `apns-request-id`.
  public func send(_ broadcast: BroadcastPush) async throws(ProviderFailure) -> PushOutcome {
    try await answer(to: .broadcast(broadcast), isRepeatable: true).outcome
  }

  private func perform(
    _ request: ChannelOrder, isRepeatable: Bool = true
  ) async throws(ChannelFailure) -> ServiceAnswer {
    let answer: ServiceAnswer
    do throws(ProviderFailure) {
      answer = try await self.answer(to: .channel(request), isRepeatable: isRepeatable)
    } catch {
      throw .failed(error)
    }
    if case .rejected(let refusal) = answer.outcome { throw .refused(refusal) }
    return answer
  }

  /// Returns `app` if it can be part of a path; throws otherwise.
  private static func checked(_ app: String) throws(ChannelFailure) -> String {
    guard Push.isApp(app) else { throw .invalid(.badApp(app)) }
    return app
  }

  private static func checked(channel: String) throws(ChannelFailure) -> String {
    guard ChannelOrder.isChannelID(channel) else {
      throw .invalid(.badValue(member: "channel", wanted: "a channel's identifier in base64"))
    }
    return channel
  }
}

extension ProviderEndpoint {
  /// Apple's development service for channels (apns-protocol 1.1).
  public static let appleSandboxChannels = ProviderEndpoint(
    host: "api-manage-broadcast.sandbox.push.apple.com", port: 2_195)
  /// Apple's production service for channels (apns-protocol 1.1).
  public static let appleProductionChannels = ProviderEndpoint(
    host: "api-manage-broadcast.push.apple.com", port: 2_196)
}
