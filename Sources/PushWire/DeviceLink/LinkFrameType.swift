/// The frame types of the device link (`docs/device-link.md` 3).
public enum LinkFrameType: UInt8, CaseIterable, Sendable {
  case hello = 0x01
  case welcome = 0x02
  case enroll = 0x03
  case enrolled = 0x04
  case enrollRefused = 0x05
  case connect = 0x06
  case connected = 0x07
  case ready = 0x08
  case register = 0x10
  case token = 0x11
  case refused = 0x12
  case unregister = 0x13
  case disable = 0x14
  case enable = 0x15
  case subscribe = 0x16
  case unsubscribe = 0x17
  case subscribed = 0x18
  case done = 0x19
  case notification = 0x20
  case broadcast = 0x21
  case acknowledge = 0x22
  case discard = 0x23
  case state = 0x30
  case ping = 0x31
  case pong = 0x32
  case reconnect = 0x38
  case draining = 0x39
  case close = 0x3F
  case trust = 0x80
  case renew = 0x81
  case renewed = 0x82
  case renewalRefused = 0x83

  /// Returns true if a receiver that does not know `code` skips the frame.
  ///
  /// For an unknown code below 0x80, the receiver closes the link instead.
  @inlinable public static func isSkippable(_ code: UInt8) -> Bool { code & 0x80 != 0 }
}
