public import Foundation

/// A wish for time in the background.
open class BGTaskRequest: NSObject, NSCopying, @unchecked Sendable {
  // Sendable: the properties are for the thread that made the request; the scheduler holds copies.

  /// Which task.
  public let identifier: String

  /// Not before this moment; nil for as soon as can be.
  open var earliestBeginDate: Date?

  init(name: String) { identifier = name }

  /// A copy of the request.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = BGTaskRequest(name: identifier)
    copy.earliestBeginDate = earliestBeginDate
    return copy
  }
}

/// A wish for a moment to fetch what is new.
open class BGAppRefreshTaskRequest: BGTaskRequest, @unchecked Sendable {
  /// A request for a task.
  public init(identifier: String) { super.init(name: identifier) }

  /// A copy of the request.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = BGAppRefreshTaskRequest(identifier: identifier)
    copy.earliestBeginDate = earliestBeginDate
    return copy
  }
}

/// A wish for a longer time.
open class BGProcessingTaskRequest: BGTaskRequest, @unchecked Sendable {
  /// Whether the task needs a network; kept, without effect.
  open var requiresNetworkConnectivity = false

  /// Whether the task waits for the machine to be charged; kept, without effect.
  open var requiresExternalPower = false

  /// A request for a task.
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
