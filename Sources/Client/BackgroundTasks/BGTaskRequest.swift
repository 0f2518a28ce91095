import AppWire
public import Foundation

/// A request to run a task in the background.
open class BGTaskRequest: NSObject, NSCopying, @unchecked Sendable {
  // Sendable: the properties are used on the thread that created the request; the scheduler retains copies.

  /// The identifier of the task.
  public let identifier: String

  /// The earliest date on which the task starts; nil to start as soon as possible.
  open var earliestBeginDate: Date?

  init(name: String) { identifier = name }

  /// The request in the agent's wire format.
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

  /// Creates a request from the agent's wire format.
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

  /// Returns a copy of the request.
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

  /// Returns a copy of the request.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = BGAppRefreshTaskRequest(identifier: identifier)
    copy.earliestBeginDate = earliestBeginDate
    return copy
  }
}

/// A request for a longer task.
open class BGProcessingTaskRequest: BGTaskRequest, @unchecked Sendable {
  /// A Boolean value that indicates whether the task requires a network.
  ///
  /// All tasks wait while the network is metered.
  open var requiresNetworkConnectivity = false

  /// A Boolean value that indicates whether the task waits until the machine is charging.
  ///
  /// All tasks wait while the battery is low.
  open var requiresExternalPower = false

  /// Creates a request for a task.
  public init(identifier: String) { super.init(name: identifier) }

  /// Returns a copy of the request.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = BGProcessingTaskRequest(identifier: identifier)
    copy.earliestBeginDate = earliestBeginDate
    copy.requiresNetworkConnectivity = requiresNetworkConnectivity
    copy.requiresExternalPower = requiresExternalPower
    return copy
  }
}

/// A request for a longer task for a health research study.
open class BGHealthResearchTaskRequest: BGProcessingTaskRequest, @unchecked Sendable {
  /// The type of file protection that the task requires; stored, but has no effect.
  open var protectionTypeOfRequiredData = ""

  /// Returns a copy of the request.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = BGHealthResearchTaskRequest(identifier: identifier)
    copy.earliestBeginDate = earliestBeginDate
    copy.requiresNetworkConnectivity = requiresNetworkConnectivity
    copy.requiresExternalPower = requiresExternalPower
    copy.protectionTypeOfRequiredData = protectionTypeOfRequiredData
    return copy
  }
}

/// A request for a task that starts immediately at the user's request and continues in the background.
open class BGContinuedProcessingTaskRequest: BGTaskRequest, @unchecked Sendable {
  /// The ways to handle a task that cannot start immediately.
  ///
  /// On this system, a task can always start immediately.
  public enum SubmissionStrategy: Int, Sendable {
    /// The request fails if the task cannot start immediately.
    case fail = 0
    /// The request waits until the task can start.
    case queue = 1
  }

  /// The resources that the task requires; they are stored, but have no effect.
  public struct Resources: OptionSet, Sendable {
    /// The raw bits of the set, as on Apple's systems.
    public let rawValue: Int

    /// Creates a set from its bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The GPU of the device.
    public static let gpu = Resources(rawValue: 1 << 0)
  }

  /// The title of the task.
  open var title: String

  /// The subtitle of the task.
  open var subtitle: String

  /// The strategy for a task that cannot start immediately; stored, but has no effect.
  open var strategy = SubmissionStrategy.queue

  /// The resources that the task requires; they are stored, but have no effect.
  open var requiredResources: Resources = []

  /// Creates a request for a task.
  public init(identifier: String, title: String, subtitle: String) {
    self.title = title
    self.subtitle = subtitle
    super.init(name: identifier)
  }

  /// Returns a copy of the request.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = BGContinuedProcessingTaskRequest(
      identifier: identifier, title: title, subtitle: subtitle)
    copy.strategy = strategy
    copy.requiredResources = requiredResources
    return copy
  }
}
