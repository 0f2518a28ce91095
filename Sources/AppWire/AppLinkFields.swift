internal import BelfryWire

/// The error for a frame that does not contain a known message.
public enum AppLinkDecodingFailure: Error, Hashable, Sendable, CustomStringConvertible {
  case missing(field: String)
  case unexpected(field: String)
  case unknownType(String)

  /// A description of the error.
  public var description: String {
    switch self {
    case .missing(let field): "message without \"\(field)\""
    case .unexpected(let field): "message with an invalid \"\(field)\""
    case .unknownType(let type): "message of the unknown type \"\(type)\""
    }
  }
}

/// A reader for the members of an object and for the attached bytes that they refer to.
struct AppLinkFields {
  let object: JSONObject
  let attached: [UInt8]

  init(_ object: JSONObject, _ attached: [UInt8]) {
    self.object = object
    self.attached = attached
  }

  init(_ value: JSONValue, _ attached: [UInt8], field: String) throws(AppLinkDecodingFailure) {
    guard case .object(let object) = value else { throw .unexpected(field: field) }
    self.init(object, attached)
  }

  /// The value of a member; a JSON null counts as absent.
  subscript(key: String) -> JSONValue? {
    guard let value = object[key], value != .null else { return nil }
    return value
  }

  private func optional<T>(_ key: String, _ read: (JSONValue) -> T?)
    throws(AppLinkDecodingFailure) -> T?
  {
    guard let value = self[key] else { return nil }
    guard let result = read(value) else { throw .unexpected(field: key) }
    return result
  }

  private func required<T>(_ key: String, _ value: T?) throws(AppLinkDecodingFailure) -> T {
    guard let value else { throw .missing(field: key) }
    return value
  }

  func optionalString(_ key: String) throws(AppLinkDecodingFailure) -> String? {
    try optional(key, \.stringValue)
  }
  func string(_ key: String) throws(AppLinkDecodingFailure) -> String {
    try required(key, optionalString(key))
  }
  /// Reads a name that the system or Foundation looks up, such as a time zone, a calendar, or a type.
  ///
  /// Only short ASCII strings are valid. Foundation normalizes a name before it looks up the name, and the
  /// normalization takes time quadratic in the number of combining marks.
  func optionalName(_ key: String) throws(AppLinkDecodingFailure) -> String? {
    guard let name = try optionalString(key) else { return nil }
    guard name.utf8.count <= WireLimits.nameBytesMax, name.isASCII else {
      throw .unexpected(field: key)
    }
    return name
  }
  func name(_ key: String) throws(AppLinkDecodingFailure) -> String {
    try required(key, optionalName(key))
  }
  /// Reads an identifier that an app chose.
  func identifier(_ key: String) throws(AppLinkDecodingFailure) -> String {
    assert(
      WireLimits.identifierBytesMax <= WireLimits.pathBytesMax,
      "the limit of identifiers is within the limit of other text")
    let text = try string(key)
    guard text.utf8.count <= WireLimits.identifierBytesMax else { throw .unexpected(field: key) }
    return text
  }
  /// Reads a file path, up to the longest path that the system accepts.
  func optionalPath(_ key: String) throws(AppLinkDecodingFailure) -> String? {
    guard let path = try optionalString(key) else { return nil }
    guard path.utf8.count <= WireLimits.pathBytesMax else { throw .unexpected(field: key) }
    return path
  }
  func path(_ key: String) throws(AppLinkDecodingFailure) -> String {
    try required(key, optionalPath(key))
  }
  /// Reads language tags, up to the limit for a list of preferred languages.
  func optionalLanguages(_ key: String) throws(AppLinkDecodingFailure) -> [String]? {
    guard let tags = try optionalWords(key) else { return nil }
    guard tags.count <= WireLimits.languagesMax,
      tags.allSatisfy({ $0.utf8.count <= WireLimits.nameBytesMax })
    else { throw .unexpected(field: key) }
    assert(tags.allSatisfy(\.isASCII), "language tags are ASCII")
    return tags
  }
  func optionalInteger(_ key: String) throws(AppLinkDecodingFailure) -> Int64? {
    try optional(key, \.integerValue)
  }
  func integer(_ key: String) throws(AppLinkDecodingFailure) -> Int64 {
    try required(key, optionalInteger(key))
  }
  func optionalDouble(_ key: String) throws(AppLinkDecodingFailure) -> Double? {
    try optional(key, \.doubleValue)
  }
  func double(_ key: String) throws(AppLinkDecodingFailure) -> Double {
    try required(key, optionalDouble(key))
  }
  func bool(_ key: String, default otherwise: Bool = false) throws(AppLinkDecodingFailure) -> Bool {
    try optional(key, \.boolValue) ?? otherwise
  }
  func optionalObject(_ key: String) throws(AppLinkDecodingFailure) -> JSONObject? {
    try optional(key, \.objectValue)
  }
  func optionalFields(_ key: String) throws(AppLinkDecodingFailure) -> AppLinkFields? {
    try optionalObject(key).map { AppLinkFields($0, attached) }
  }
  func fields(_ key: String) throws(AppLinkDecodingFailure) -> AppLinkFields {
    try required(key, optionalFields(key))
  }

  func optionalStrings(_ key: String) throws(AppLinkDecodingFailure) -> [String]? {
    guard let elements = try optional(key, \.arrayValue) else { return nil }
    var strings: [String] = []
    for element in elements {
      guard let string = element.stringValue else { throw .unexpected(field: key) }
      strings.append(string)
    }
    return strings
  }
  func strings(_ key: String) throws(AppLinkDecodingFailure) -> [String] {
    try optionalStrings(key) ?? []
  }

  /// Reads a list of keywords that Belfry or Apple defines.
  ///
  /// All keywords are ASCII, so other elements are skipped.
  func words(_ key: String) throws(AppLinkDecodingFailure) -> [String] {
    try optionalWords(key) ?? []
  }
  func optionalWords(_ key: String) throws(AppLinkDecodingFailure) -> [String]? {
    try optionalStrings(key)?.filter(\.isASCII)
  }

  func optionalList<T>(
    _ key: String, _ read: (AppLinkFields) throws(AppLinkDecodingFailure) -> T
  ) throws(AppLinkDecodingFailure) -> [T]? {
    guard let elements = try optional(key, \.arrayValue) else { return nil }
    var list: [T] = []
    for element in elements { list.append(try read(AppLinkFields(element, attached, field: key))) }
    return list
  }
  func list<T>(
    _ key: String, _ read: (AppLinkFields) throws(AppLinkDecodingFailure) -> T
  ) throws(AppLinkDecodingFailure) -> [T] {
    try optionalList(key, read) ?? []
  }

  /// Reads a value of an enumeration with string raw values.
  func optionalWord<Word: RawRepresentable<String>>(_ key: String, _: Word.Type = Word.self)
    throws(AppLinkDecodingFailure) -> Word?
  {
    try optional(key) { $0.stringValue.flatMap(Word.init(word:)) }
  }
  func word<Word: RawRepresentable<String>>(_ key: String, _: Word.Type = Word.self)
    throws(AppLinkDecodingFailure) -> Word
  {
    try required(key, optionalWord(key))
  }

  /// Reads the name of a kind of push.
  func optionalKind(_ key: String) throws(AppLinkDecodingFailure) -> TokenKind? {
    try optional(key) { $0.stringValue.flatMap(TokenKind.init(name:)) }
  }
  func kind(_ key: String) throws(AppLinkDecodingFailure) -> TokenKind {
    try required(key, optionalKind(key))
  }

  /// Reads the attached bytes that a member refers to.
  func optionalBytes(_ key: String) throws(AppLinkDecodingFailure) -> [UInt8]? {
    guard let range = try optionalFields(key) else { return nil }
    guard let offset = Int(exactly: try range.integer("offset")),
      let length = Int(exactly: try range.integer("length")),
      offset >= 0, length >= 0, offset <= attached.count, length <= attached.count - offset
    else { throw .unexpected(field: key) }
    return Array(attached[offset..<offset + length])
  }
}

/// A builder for an object whose members can refer to attached bytes.
struct AppLinkBuilder {
  var object = JSONObject()
  var attached: [UInt8]

  init(attached: [UInt8] = []) { self.attached = attached }

  mutating func set(_ key: String, _ value: String?) { object[key] = value.map(JSONValue.string) }
  mutating func set(_ key: String, _ value: Int64?) { object[key] = value.map(JSONValue.integer) }
  mutating func set(_ key: String, _ value: Double?) { object[key] = value.map(JSONValue.double) }
  mutating func set(_ key: String, _ value: JSONObject?) {
    object[key] = value.map(JSONValue.object)
  }
  /// Sets a Boolean value, or omits the member if the value is the default that the reader assumes.
  mutating func set(_ key: String, _ value: Bool, unless otherwise: Bool = false) {
    object[key] = value == otherwise ? nil : .bool(value)
  }
  /// Sets a list of strings, or omits the member if the list is nil.
  mutating func set(_ key: String, _ values: [String]?) {
    object[key] = values.map { .array($0.map(JSONValue.string)) }
  }
  /// Sets a string, or omits the member if the string is empty.
  mutating func set(nonEmpty key: String, _ value: String) {
    object[key] = value.isEmpty ? nil : .string(value)
  }
  mutating func set(_ key: String, bytes: [UInt8]?) {
    guard let bytes else { return }
    assert(object[key] == nil, "a member is set only once")
    object[key] = [
      "offset": .integer(Int64(attached.count)), "length": .integer(Int64(bytes.count)),
    ]
    attached.append(contentsOf: bytes)
  }
  mutating func set<T>(_ key: String, list: [T]?, _ write: (T, inout AppLinkBuilder) -> Void) {
    guard let list else { return }
    assert(object[key] == nil, "a member is set only once")
    object[key] = .array(list.map { .object(nested($0, write)) })
  }
  mutating func set<T>(_ key: String, _ value: T?, _ write: (T, inout AppLinkBuilder) -> Void) {
    guard let value else { return }
    assert(object[key] == nil, "a member is set only once")
    object[key] = .object(nested(value, write))
  }
  private mutating func nested<T>(_ value: T, _ write: (T, inout AppLinkBuilder) -> Void)
    -> JSONObject
  {
    let attachedBytes = attached.count
    var inner = AppLinkBuilder(attached: attached)
    attached = []  // lets the inner builder append in place
    write(value, &inner)
    assert(inner.attached.count >= attachedBytes, "nested members only append attached bytes")
    attached = inner.attached
    return inner.object
  }

  var frame: AppFrame { AppFrame(object, attached: attached) }
}
