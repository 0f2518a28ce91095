public import CoreLocation
public import Foundation

/// A trigger that fires when the device crosses the boundary of a region, in the direction that the region specifies.
///
/// The trigger requires the user's permission to use the location while the app is in use. The system monitors the
/// region, so the app does not have to be running.
open class UNLocationNotificationTrigger: UNNotificationTrigger, @unchecked Sendable {
  // Sendable: see the superclass.

  /// The region to monitor, which is a copy of the region that was passed to the initializer.
  public let region: CLRegion

  /// Creates a trigger for the next crossing or, if `repeats` is true, for each crossing.
  public init(region: CLRegion, repeats: Bool) {
    self.region = region.copy() as? CLRegion ?? region
    super.init(again: repeats)
  }

  /// A description of the trigger's fields, for logs.
  open override var description: String {
    ObjectDescription.make(
      self,
      [
        ("repeats", repeats),
        ("region", region),
      ])
  }

  /// Returns whether the other trigger has the same region and the same value of `repeats`.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? UNLocationNotificationTrigger else { return false }
    return region == other.region && repeats == other.repeats
  }

  /// The hash value of the region.
  open override var hash: Int { region.hashValue }

  /// Creates a trigger from an archive; nil if the archive does not contain one.
  public required init?(coder: NSCoder) {
    guard
      let region = coder.decodeObject(
        of: [CLRegion.self, CLCircularRegion.self, CLBeaconRegion.self], forKey: "region")
        as? CLRegion
    else { return nil }
    self.region = region
    super.init(coder: coder)
  }

  /// Writes the trigger to an archive.
  open override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(region, forKey: "region")
  }
}
