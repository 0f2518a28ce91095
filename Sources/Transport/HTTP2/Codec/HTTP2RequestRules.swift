/// The rules for the fields of a request (RFC 9113 section 8.3).
enum HTTP2RequestRules {
  /// The fields that a request has had.
  struct Seen: OptionSet {
    let rawValue: UInt16
    static let authority = Self(rawValue: 1)
    static let method = Self(rawValue: 2)
    static let path = Self(rawValue: 4)
    static let scheme = Self(rawValue: 8)
    static let host = Self(rawValue: 16)
    /// A field that isn't a pseudo-header field, after which there must be none.
    static let regular = Self(rawValue: 32)
    static let connect = Self(rawValue: 64)
    static let options = Self(rawValue: 128)
    /// The scheme is `http` or `https`, for which the path has a fixed form.
    static let isHTTP = Self(rawValue: 256)
    static let absolutePath = Self(rawValue: 512)
    static let asterisk = Self(rawValue: 1_024)
    /// The pseudo-header fields that each request has, except for CONNECT.
    static let required = method.union(path).union(scheme)
    static let authorityOrHost = authority.union(host)
  }

  /// Checks a field and notes it in `stream`.
  ///
  /// Returns false if the field makes the request malformed.
  static func accept(
    _ field: borrowing HPACKField, in stream: inout HTTP2Stream, isTrailer: Bool
  ) -> Bool {
    switch unsafe field.kind {
    case .regular: unsafe stream.seen.insert(.regular)
    case .malformed: return false
    case .authority: return unsafe pseudo(.authority, .authority, &stream, isTrailer)
    case .method: return unsafe pseudo(.method, .method, &stream, isTrailer)
    case .methodHEAD:
      unsafe stream.flags.insert(.isHEAD)
      return unsafe pseudo(.method, .method, &stream, isTrailer)
    case .methodCONNECT: return unsafe pseudo(.method, .connect, &stream, isTrailer)
    case .methodOPTIONS: return unsafe pseudo(.method, .options, &stream, isTrailer)
    case .path: return unsafe pseudo(.path, .absolutePath, &stream, isTrailer)
    case .pathAsterisk: return unsafe pseudo(.path, .asterisk, &stream, isTrailer)
    case .pathOther: return unsafe pseudo(.path, .path, &stream, isTrailer)
    case .schemeHTTP: return unsafe pseudo(.scheme, .isHTTP, &stream, isTrailer)
    case .schemeOther: return unsafe pseudo(.scheme, .scheme, &stream, isTrailer)
    case .host:
      guard unsafe !stream.seen.contains(.host) else { return false }
      unsafe stream.seen.insert(.host)
      unsafe stream.seen.insert(.regular)
    case .contentLength:
      guard unsafe stream.contentLength == -1,
        let length = unsafe HTTP2FieldKind.length(field.value)
      else { return false }
      unsafe stream.contentLength = length
      unsafe stream.seen.insert(.regular)
    }
    return true
  }

  @inline(__always)
  private static func pseudo(
    _ name: Seen, _ meaning: Seen, _ stream: inout HTTP2Stream, _ isTrailer: Bool
  ) -> Bool {
    // A pseudo-header field occurs once, before all other fields, and not in trailers.
    guard !isTrailer, unsafe stream.seen.isDisjoint(with: name.union(.regular)) else {
      return false
    }
    unsafe stream.seen.formUnion(name.union(meaning))
    return true
  }

  /// Returns true if the fields make up a request, after the last of them.
  static func isComplete(_ stream: inout HTTP2Stream) -> Bool {
    let seen = unsafe stream.seen
    guard !seen.contains(.connect) else {
      // RFC 9113 section 8.5: the authority, and neither a scheme nor a path. The content has no length.
      unsafe stream.contentLength = -1
      return seen.contains(.authority) && !seen.contains(.scheme)
        && !seen.contains(.path)
    }
    guard seen.isSuperset(of: .required), !seen.isDisjoint(with: .authorityOrHost) else {
      return false
    }
    return !seen.contains(.isHTTP) || seen.contains(.absolutePath)
      || seen.contains(.options) && seen.contains(.asterisk)
  }
}
