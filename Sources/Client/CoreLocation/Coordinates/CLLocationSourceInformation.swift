public import Foundation

/// Where a position comes from.
open class CLLocationSourceInformation: NSObject, NSCopying, @unchecked Sendable {
  // Sendable: every stored property is a constant.

  /// Whether a program made it up.
  public let isSimulatedBySoftware: Bool

  /// Whether another device measured it.
  public let isProducedByAccessory: Bool

  /// A source.
  public init(softwareSimulationState isSoftware: Bool, andExternalAccessoryState isAccessory: Bool)
  {
    isSimulatedBySoftware = isSoftware
    isProducedByAccessory = isAccessory
    super.init()
  }

  /// Returns the object itself: it never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }
}
