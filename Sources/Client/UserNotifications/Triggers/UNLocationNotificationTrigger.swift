public import CoreLocation
public import Foundation

/// Appears when the device crosses the edge of a region, in the direction that the region says.
///
/// It needs the user's permission for location while the app is in use; the system watches, so
/// the app need not run.
open class UNLocationNotificationTrigger: UNNotificationTrigger, @unchecked Sendable {
  // Sendable: see the superclass.

  /// The region.
  public let region: CLRegion

  /// A trigger for the next crossing, or for each one.
  public init(region: CLRegion, repeats: Bool) {
    self.region = region.copy() as? CLRegion ?? region
    super.init(again: repeats)
  }

  /// The trigger's fields, for a log.
  open override var description: String {
    ObjectDescription.make(
      self,
      [
        ("repeats", repeats),
        ("region", region),
      ])
  }

  /// Whether the other trigger has the same region and repetition.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? UNLocationNotificationTrigger else { return false }
    return region == other.region && repeats == other.repeats
  }

  /// The hash of the region.
  open override var hash: Int { region.hashValue }

  /// Reads an archived trigger; nil when the archive has none.
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
