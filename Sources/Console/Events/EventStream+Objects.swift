package import BelfryWire
package import Transport

extension EventStream {
  /// Returns the objects as the bytes of an event stream, one event per object.
  package static func bytes(of objects: [JSONObject]) -> [UInt8] {
    var bytes: [UInt8] = []
    for object in objects { append(object.bytes, to: &bytes) }
    return bytes
  }
}
