internal import BelfryWire

/// A region that an app monitors.
public struct NotificationRegion: Sendable, Hashable {
  /// The shape of a region.
  public enum Shape: Sendable, Hashable {
    /// A circle: the center in degrees and the radius in meters.
    case circle(latitude: Double, longitude: Double, radius: Double)
    /// A beacon, identified by its UUID and, optionally, its major and minor numbers.
    case beacon(uuid: String, major: Int64?, minor: Int64?)
  }

  /// The app's identifier for the region.
  public var id: String
  /// The shape of the region.
  public var shape: Shape
  /// True if entering the region notifies the app.
  public var notifiesOnEntry: Bool
  /// True if leaving the region notifies the app.
  public var notifiesOnExit: Bool

  /// Creates a region that, by default, notifies on both entry and exit.
  public init(
    id: String, shape: Shape, notifiesOnEntry: Bool = true, notifiesOnExit: Bool = true
  ) {
    self.id = id
    self.shape = shape
    self.notifiesOnEntry = notifiesOnEntry
    self.notifiesOnExit = notifiesOnExit
  }

  init(_ fields: AppLinkFields) throws(AppLinkDecodingFailure) {
    id = try fields.identifier("id")
    if let uuid = try fields.optionalName("uuid") {
      shape = .beacon(
        uuid: uuid, major: try fields.optionalInteger("major"),
        minor: try fields.optionalInteger("minor"))
    } else {
      shape = .circle(
        latitude: try fields.double("latitude"), longitude: try fields.double("longitude"),
        radius: try fields.double("radius"))
    }
    notifiesOnEntry = try fields.bool("entry", default: true)
    notifiesOnExit = try fields.bool("exit", default: true)
  }

  func write(_ builder: inout AppLinkBuilder) {
    builder.set("id", id)
    switch shape {
    case .circle(let latitude, let longitude, let radius):
      builder.set("latitude", latitude)
      builder.set("longitude", longitude)
      builder.set("radius", radius)
    case .beacon(let uuid, let major, let minor):
      builder.set("uuid", uuid)
      builder.set("major", major)
      builder.set("minor", minor)
    }
    builder.set("entry", notifiesOnEntry, unless: true)
    builder.set("exit", notifiesOnExit, unless: true)
  }
}

extension NotificationRegion {
  /// Returns true if all properties are equal; identifiers are compared by their bytes.
  public static func == (one: NotificationRegion, other: NotificationRegion) -> Bool {
    one.id.hasSameBytes(as: other.id) && one.shape == other.shape
      && one.notifiesOnEntry == other.notifiesOnEntry
      && one.notifiesOnExit == other.notifiesOnExit
  }

  /// Hashes the bytes of the identifier and the shape.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(UTF8Text(id))
    hasher.combine(shape)
  }
}
