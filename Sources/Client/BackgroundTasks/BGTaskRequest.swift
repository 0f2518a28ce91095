public import Foundation

/// A request for a task in the background.
open class BGTaskRequest: NSObject, NSCopying, @unchecked Sendable {
  // Sendable: the properties are for the thread that made the request; the scheduler holds copies.

  /// The task's identifier.
  public let identifier: String

  /// The earliest start; nil for as soon as possible.
  open var earliestBeginDate: Date?

  init(name: String) { identifier = name }

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
  /// Whether the task needs a network; stored without effect.
  open var requiresNetworkConnectivity = false

  /// Whether the task waits for the machine to be charged; stored without effect.
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
