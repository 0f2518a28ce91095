public import Foundation

/// The first of a beacon's two numbers.
public typealias CLBeaconMajorValue = UInt16

/// The second of a beacon's two numbers.
public typealias CLBeaconMinorValue = UInt16

/// Which beacons are meant: all of a UUID, or those with given numbers.
open class CLBeaconIdentityConstraint: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  // Sendable: every stored property is a constant.

  /// The beacons' common identity.
  public let uuid: UUID

  /// The first number, or nil for any.
  public let major: CLBeaconMajorValue?

  /// The second number, or nil for any.
  public let minor: CLBeaconMinorValue?

  /// Every beacon of the identity.
  public convenience init(uuid: UUID) { self.init(identity: uuid, major: nil, minor: nil) }

  /// Every beacon of the identity with this first number.
  public convenience init(uuid: UUID, major: CLBeaconMajorValue) {
    self.init(identity: uuid, major: major, minor: nil)
  }

  /// The beacons of the identity with both numbers.
  public convenience init(uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue) {
    self.init(identity: uuid, major: major, minor: minor)
  }

  init(identity: UUID, major: CLBeaconMajorValue?, minor: CLBeaconMinorValue?) {
    uuid = identity
    self.major = major
    self.minor = minor
    super.init()
  }

  /// Returns the constraint itself: it never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Constraints can be archived securely.
  open class var supportsSecureCoding: Bool { true }

  /// Reads an archived constraint; nil when the archive has none.
  public required init?(coder: NSCoder) {
    guard
      let text = coder.decodeObject(of: NSString.self, forKey: "uuid") as String?,
      let identity = UUID(uuidString: text)
    else { return nil }
    uuid = identity
    major = coder.beaconNumber(forKey: "major")
    minor = coder.beaconNumber(forKey: "minor")
    super.init()
  }

  /// Writes the constraint to an archive.
  open func encode(with coder: NSCoder) {
    coder.encode(uuid.uuidString as NSString, forKey: "uuid")
    if let major { coder.encode(Int64(major), forKey: "major") }
    if let minor { coder.encode(Int64(minor), forKey: "minor") }
  }
}

extension NSCoder {
  /// A beacon's number, or nil when there is none or it is out of range.
  func beaconNumber(forKey key: String) -> UInt16? {
    containsValue(forKey: key) ? UInt16(exactly: decodeInt64(forKey: key)) : nil
  }
}
