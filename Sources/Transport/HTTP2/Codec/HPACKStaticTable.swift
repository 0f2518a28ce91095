/// The static table of HPACK (RFC 7541 appendix A).
///
/// The `@unchecked Sendable` conformance is safe because nothing changes after `init`.
@safe final class HPACKStaticTable: @unchecked Sendable {
  static let shared = HPACKStaticTable()
  /// The number of entries, which is also the highest index.
  static let count = 61
  /// The index of `authorization`.
  static let authorization = 23

  /// The entries; the first entry has index 1.
  let entries: UnsafeMutablePointer<HPACKField>

  private init() {
    assert(Self.texts.count == Self.count, "the table is complete")
    unsafe entries = .allocate(capacity: Self.count)
    for (index, text) in Self.texts.enumerated() {
      let name = unsafe Self.bytes(text.name)
      let value = unsafe Self.bytes(text.value)
      let known = unsafe HTTP2FieldName(name)
      unsafe (entries + index).initialize(
        to: HPACKField(
          name: name, value: value, known: known, kind: HTTP2FieldKind(known, value)))
    }
  }

  deinit { unsafe entries.deallocate() }

  /// Returns the bytes of a static string, which exist for the lifetime of the program.
  private static func bytes(_ text: StaticString) -> UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
  }

  private static let texts: [(name: StaticString, value: StaticString)] = [
    (":authority", ""), (":method", "GET"), (":method", "POST"), (":path", "/"),
    (":path", "/index.html"), (":scheme", "http"), (":scheme", "https"), (":status", "200"),
    (":status", "204"), (":status", "206"), (":status", "304"), (":status", "400"),
    (":status", "404"), (":status", "500"), ("accept-charset", ""),
    ("accept-encoding", "gzip, deflate"), ("accept-language", ""), ("accept-ranges", ""),
    ("accept", ""), ("access-control-allow-origin", ""), ("age", ""), ("allow", ""),
    ("authorization", ""), ("cache-control", ""), ("content-disposition", ""),
    ("content-encoding", ""), ("content-language", ""), ("content-length", ""),
    ("content-location", ""), ("content-range", ""), ("content-type", ""), ("cookie", ""),
    ("date", ""), ("etag", ""), ("expect", ""), ("expires", ""), ("from", ""), ("host", ""),
    ("if-match", ""), ("if-modified-since", ""), ("if-none-match", ""), ("if-range", ""),
    ("if-unmodified-since", ""), ("last-modified", ""), ("link", ""), ("location", ""),
    ("max-forwards", ""), ("proxy-authenticate", ""), ("proxy-authorization", ""), ("range", ""),
    ("referer", ""), ("refresh", ""), ("retry-after", ""), ("server", ""), ("set-cookie", ""),
    ("strict-transport-security", ""), ("transfer-encoding", ""), ("user-agent", ""), ("vary", ""),
    ("via", ""), ("www-authenticate", ""),
  ]
}

/// A decoded field, with what its name and value mean in a request.
@unsafe package struct HPACKField {
  package var name = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
  package var value = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
  var known = HTTP2FieldName.forbidden
  var kind = HTTP2FieldKind.malformed

  /// Creates an empty field.
  package init() {}

  init(
    name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer, known: HTTP2FieldName,
    kind: HTTP2FieldKind
  ) {
    unsafe self.name = name
    unsafe self.value = value
    unsafe self.known = known
    unsafe self.kind = kind
  }
}
