import BelfryWire
public import Foundation

/// A request for a task in the background.
open class BGTaskRequest: NSObject, NSCopying, @unchecked Sendable {
  // Sendable: the properties are for the thread that made the request; the scheduler holds copies.

  /// The task's identifier.
  public let identifier: String

  /// The earliest start; nil for as soon as possible.
  open var earliestBeginDate: Date?

  init(name: String) { identifier = name }

  /// The request as the agent keeps it.
  var wire: BackgroundTaskRequest {
    let kind: BackgroundTaskRequest.Kind =
      switch self {
      case is BGHealthResearchTaskRequest: .research
      case is BGProcessingTaskRequest: .processing
      default: .refresh
      }
    var request = BackgroundTaskRequest(id: identifier, kind: kind)
    request.earliestUnixMilliseconds = earliestBeginDate.map {
      Int64(clamping: Int(exactly: ($0.timeIntervalSince1970 * 1_000).rounded()) ?? .max)
    }
    if let longer = self as? BGProcessingTaskRequest {
      request.needsNetwork = longer.requiresNetworkConnectivity
      request.needsPower = longer.requiresExternalPower
    }
    return request
  }

  /// The request that the agent keeps.
  static func make(_ wire: BackgroundTaskRequest) -> BGTaskRequest {
    let request: BGTaskRequest
    switch wire.kind {
    case .refresh: request = BGAppRefreshTaskRequest(identifier: wire.id)
    case .processing, .research:
      let longer =
        wire.kind == .research
        ? BGHealthResearchTaskRequest(identifier: wire.id)
        : BGProcessingTaskRequest(identifier: wire.id)
      longer.requiresNetworkConnectivity = wire.needsNetwork
      longer.requiresExternalPower = wire.needsPower
      request = longer
    }
    request.earliestBeginDate = wire.earliestUnixMilliseconds.map {
      Date(timeIntervalSince1970: Double($0) / 1_000)
    }
    return request
  }

  /// A copy of the request.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = BGTaskRequest(name: identifier)
    copy.earliestBeginDate = earliestBeginDate
    return copy
  }
}

/// A request for a short task that refreshes the app's content.
open class BGAppRefreshTaskRequest: BGTaskRequest, @unchecked Sendable {
  /// Creates a request for a task.
  public init(identifier: String) { super.init(name: identifier) }

  /// A copy of the request.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = BGAppRefreshTaskRequest(identifier: identifier)
    copy.earliestBeginDate = earliestBeginDate
    return copy
  }
}

/// A request for a longer task.
open class BGProcessingTaskRequest: BGTaskRequest, @unchecked Sendable {
  /// Whether the task needs a network; every task waits while the network is metered.
  open var requiresNetworkConnectivity = false

  /// Whether the task waits for the machine to be charged; every task waits while the battery is low.
  open var requiresExternalPower = false

  /// Creates a request for a task.
  public init(identifier: String) { super.init(name: identifier) }

  /// A copy of the request.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = BGProcessingTaskRequest(identifier: identifier)
    copy.earliestBeginDate = earliestBeginDate
    copy.requiresNetworkConnectivity = requiresNetworkConnectivity
    copy.requiresExternalPower = requiresExternalPower
    return copy
  }
}

/// A request for a longer task of a study about health.
open class BGHealthResearchTaskRequest: BGProcessingTaskRequest, @unchecked Sendable {
  /// The protection of the data that the task needs; stored without effect.
  open var protectionTypeOfRequiredData = ""

  /// A copy of the request.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = BGHealthResearchTaskRequest(identifier: identifier)
    copy.earliestBeginDate = earliestBeginDate
    copy.requiresNetworkConnectivity = requiresNetworkConnectivity
    copy.requiresExternalPower = requiresExternalPower
    copy.protectionTypeOfRequiredData = protectionTypeOfRequiredData
    return copy
  }
}

/// A request for a task that begins at once, since the user started it, and continues in the background.
open class BGContinuedProcessingTaskRequest: BGTaskRequest, @unchecked Sendable {
  /// The behavior when the task cannot begin at once; here it always can.
  public enum SubmissionStrategy: Int, Sendable {
    /// The request fails.
    case fail = 0
    /// The request waits.
    case queue = 1
  }

  /// The resources that the task needs; stored without effect.
  public struct Resources: OptionSet, Sendable {
    /// The bits, as on Apple's systems.
    public let rawValue: Int

    /// A set from its bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The graphics processor.
    public static let gpu = Resources(rawValue: 1 << 0)
  }

  /// The title.
  open var title: String

  /// The second line.
  open var subtitle: String

  /// The behavior when the task cannot begin at once; stored without effect.
  open var strategy = SubmissionStrategy.queue

  /// The resources that the task needs; stored without effect.
  open var requiredResources: Resources = []

  /// Creates a request for a task.
  public init(identifier: String, title: String, subtitle: String) {
    self.title = title
    self.subtitle = subtitle
    super.init(name: identifier)
  }

  /// A copy of the request.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = BGContinuedProcessingTaskRequest(
      identifier: identifier, title: title, subtitle: subtitle)
    copy.strategy = strategy
    copy.requiredResources = requiredResources
    return copy
  }
}
