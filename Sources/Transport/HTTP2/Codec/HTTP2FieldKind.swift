/// The role of a field in a request, which follows from its name and value only.
///
/// The kind of a field in HPACK's tables is determined once, and not for each request that refers to the field.
enum HTTP2FieldKind: UInt8 {
  /// A field that no rule affects.
  case regular
  /// A field that makes a request malformed (RFC 9113 section 8.2).
  case malformed
  case authority
  case method
  case methodHEAD
  case methodCONNECT
  case methodOPTIONS
  /// A path that begins with a slash.
  case path
  /// The path `*`, which only OPTIONS may have.
  case pathAsterisk
  case pathOther
  /// The scheme `http` or `https`.
  case schemeHTTP
  case schemeOther
  case host
  case contentLength

  init(_ name: HTTP2FieldName, _ value: UnsafeRawBufferPointer) {
    self =
      switch name {
      case .other: unsafe Self.isValue(value) ? .regular : .malformed
      case .forbidden: .malformed
      case .authority:
        unsafe HTTP2Characters.authority.contains(all: value) ? .authority : .malformed
      case .host: unsafe HTTP2Characters.authority.contains(all: value) ? .host : .malformed
      case .method: unsafe Self.method(value)
      case .path: unsafe Self.path(value)
      case .scheme: unsafe Self.scheme(value)
      case .contentLength: unsafe Self.length(value) != nil ? .contentLength : .malformed
      case .te: unsafe Self.equalsIgnoringCase(value, "trailers") ? .regular : .malformed
      }
  }

  private static func method(_ value: UnsafeRawBufferPointer) -> Self {
    guard unsafe HTTP2Characters.method.contains(all: value) else { return .malformed }
    switch value.count {
    case 4 where unsafe HTTP2FieldName.equals(value, "HEAD"): return .methodHEAD
    case 7 where unsafe HTTP2FieldName.equals(value, "CONNECT"): return .methodCONNECT
    case 7 where unsafe HTTP2FieldName.equals(value, "OPTIONS"): return .methodOPTIONS
    default: return .method
    }
  }

  private static func path(_ value: UnsafeRawBufferPointer) -> Self {
    guard unsafe !value.isEmpty, unsafe isValue(value, spaces: false) else { return .malformed }
    if unsafe value[0] == 0x2f { return .path }
    return unsafe value.count == 1 && value[0] == 0x2a ? .pathAsterisk : .pathOther
  }

  private static func scheme(_ value: UnsafeRawBufferPointer) -> Self {
    guard value.count > 0, unsafe (0x61...0x7a).contains(value[0] | 0x20),
      unsafe HTTP2Characters.scheme.contains(all: value)
    else { return .malformed }
    let isHTTP = unsafe equalsIgnoringCase(value, "http") || equalsIgnoringCase(value, "https")
    return isHTTP ? .schemeHTTP : .schemeOther
  }

  /// Returns the value of a content-length field, or nil if it isn't a number of up to 63 bits.
  static func length(_ value: UnsafeRawBufferPointer) -> Int64? {
    guard value.count > 0 else { return nil }
    var number: Int64 = 0
    for index in 0..<value.count {
      let byte = unsafe value[index]
      guard byte >= 0x30, byte <= 0x39 else { return nil }
      let (tens, overflow) = number.multipliedReportingOverflow(by: 10)
      let (sum, excess) = tens.addingReportingOverflow(Int64(byte &- 0x30))
      guard !overflow, !excess else { return nil }
      number = sum
    }
    return number
  }

  /// Returns true if the value has no control characters except tabs (RFC 9110 section 5.5).
  ///
  /// If `spaces` is false, there must be no spaces and tabs either.
  static func isValue(_ value: UnsafeRawBufferPointer, spaces: Bool = true) -> Bool {
    let bytes = unsafe value.assumingMemoryBound(to: UInt8.self).span
    let (ones, tops): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
    let least: UInt8 = spaces ? 0x20 : 0x21
    let lowest = ones &* UInt64(least)
    var offset = 0
    while bytes.count &- offset >= 8 {
      // The bounds are checked, and eight bytes of any kind are a number.
      let word = unsafe bytes.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
      let deletes = word ^ (ones &* 0x7f)
      // A top bit is set if the word has a byte below `least`, or a DEL.
      let found = (word &- lowest) & ~word & tops | (deletes &- ones) & ~deletes & tops
      if found != 0 {
        for index in offset..<(offset &+ 8) where !isValid(bytes[index], least, spaces) {
          return false
        }
      }
      offset &+= 8
    }
    while offset < bytes.count {
      guard isValid(bytes[offset], least, spaces) else { return false }
      offset &+= 1
    }
    return true
  }

  private static func isValid(_ byte: UInt8, _ least: UInt8, _ tabs: Bool) -> Bool {
    byte >= least && byte != 0x7f || byte == 0x09 && tabs
  }

  private static func equalsIgnoringCase(_ value: UnsafeRawBufferPointer, _ text: StaticString)
    -> Bool
  {
    guard value.count == text.utf8CodeUnitCount else { return false }
    for index in 0..<value.count {
      let byte = unsafe value[index]
      let lower = byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte
      guard unsafe lower == text.utf8Start[index] else { return false }
    }
    return true
  }
}
