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
    var request = BackgroundTaskRequest(
      id: identifier, kind: self is BGProcessingTaskRequest ? .processing : .refresh)
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
    case .processing:
      let longer = BGProcessingTaskRequest(identifier: wire.id)
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
