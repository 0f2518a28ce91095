public import Foundation

/// The first of a beacon's two numbers.
public typealias CLBeaconMajorValue = UInt16

/// The second of a beacon's two numbers.
public typealias CLBeaconMinorValue = UInt16

/// A constraint on the identity of beacons, which specifies a UUID and, optionally, one or both numbers.
open class CLBeaconIdentityConstraint: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  // Sendable: every stored property is a constant.

  /// The identity that the beacons share.
  public let uuid: UUID

  /// The first number of the beacons; nil for any.
  public let major: CLBeaconMajorValue?

  /// The second number of the beacons; nil for any.
  public let minor: CLBeaconMinorValue?

  /// Creates a constraint for all beacons with the given identity.
  public convenience init(uuid: UUID) { self.init(identity: uuid, major: nil, minor: nil) }

  /// Creates a constraint for all beacons with the given identity and first number.
  public convenience init(uuid: UUID, major: CLBeaconMajorValue) {
    self.init(identity: uuid, major: major, minor: nil)
  }

  /// Creates a constraint for the beacons with the given identity and both numbers.
  public convenience init(uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue) {
    self.init(identity: uuid, major: major, minor: minor)
  }

  init(identity: UUID, major: CLBeaconMajorValue?, minor: CLBeaconMinorValue?) {
    uuid = identity
    self.major = major
    self.minor = minor
    super.init()
  }

  /// Returns the same object, because constraints are immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// A Boolean value that indicates whether the class supports secure coding; always true.
  open class var supportsSecureCoding: Bool { true }

  /// Creates a constraint from an archive; nil if the archive does not contain one.
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
  /// Returns the beacon number that is stored for the key; nil if the number is missing or out of range.
  func beaconNumber(forKey key: String) -> UInt16? {
    containsValue(forKey: key) ? UInt16(exactly: decodeInt64(forKey: key)) : nil
  }
}
