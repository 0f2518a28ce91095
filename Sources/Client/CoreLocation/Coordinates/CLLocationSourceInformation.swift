public import Foundation

/// Information about the source of a location.
open class CLLocationSourceInformation: NSObject, NSCopying, @unchecked Sendable {
  // Sendable: every stored property is a constant.

  /// A Boolean value that indicates whether software simulated the location.
  public let isSimulatedBySoftware: Bool

  /// A Boolean value that indicates whether an external accessory measured the location.
  public let isProducedByAccessory: Bool

  /// Creates information about a source.
  public init(softwareSimulationState isSoftware: Bool, andExternalAccessoryState isAccessory: Bool)
  {
    isSimulatedBySoftware = isSoftware
    isProducedByAccessory = isAccessory
    super.init()
  }

  /// Returns the same object, because the information is immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }
}
