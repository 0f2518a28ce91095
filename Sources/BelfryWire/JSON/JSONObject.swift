/// The members of a JSON object, in order.
///
/// Each key occurs once, and keys are compared by their bytes. A lookup is a linear search, because the objects in this
/// project have few members. Comparing or merging two objects takes linear time.
public struct JSONObject: Sendable, ExpressibleByDictionaryLiteral {
  /// A key and its value.
  public struct Member: Sendable, Hashable {
    /// The key, which is unique within its object.
    public var key: String
    /// The value of the key.
    public var value: JSONValue

    /// Pairs a key with its value.
    public init(key: String, value: JSONValue) {
      self.key = key
      self.value = value
    }

    /// Returns true if both keys have the same bytes and both values are equal.
    public static func == (one: Member, other: Member) -> Bool {
      one.key.hasSameBytes(as: other.key) && one.value == other.value
    }

    /// Hashes the key's bytes and the value.
    public func hash(into hasher: inout Hasher) {
      key.hashBytes(into: &hasher)
      hasher.combine(value)
    }
  }

  /// The members in order.
  public private(set) var members: [Member]

  /// Creates an object without members.
  public init() { members = [] }

  /// Creates an object from key-value pairs, in order.
  ///
  /// If a key occurs twice, the later value replaces the earlier one.
  public init(_ pairs: [(String, JSONValue)]) {
    var index = JSONKeyIndex()
    for (key, value) in pairs { index.set(key, value) }
    self.init(index)
  }

  /// Creates an object from the key-value pairs of a literal, in order.
  public init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(elements) }

  /// Creates an object from the members that `index` collected.
  init(_ index: consuming JSONKeyIndex) { members = index.members }

  /// The value of a key.
  ///
  /// Setting nil removes the member.
  public subscript(key: String) -> JSONValue? {
    get { members.first { $0.key.hasSameBytes(as: key) }?.value }
    set {
      let position = members.firstIndex { $0.key.hasSameBytes(as: key) }
      switch (position, newValue) {
      case (let position?, let value?): members[position].value = value
      case (let position?, nil): members.remove(at: position)
      case (nil, let value?): members.append(Member(key: key, value: value))
      case (nil, nil): break
      }
    }
  }

  /// Adds the members of `other`; a member of `other` replaces a member with the same key.
  ///
  /// New keys are appended in the order of `other`.
  public mutating func merge(_ other: JSONObject) {
    var index = JSONKeyIndex()
    for member in members { index.set(member.key, member.value) }
    for member in other.members { index.set(member.key, member.value) }
    self = JSONObject(index)
  }

  /// The keys in order.
  public var keys: [String] { members.map(\.key) }
  /// The number of members.
  public var count: Int { members.count }
  /// True if the object has no members.
  public var isEmpty: Bool { members.isEmpty }
}

extension JSONObject: Hashable {
  /// Returns true if both objects have the same members, in any order.
  public static func == (one: JSONObject, other: JSONObject) -> Bool {
    guard one.members.count == other.members.count else { return false }
    let differs = zip(one.members, other.members).contains { !$0.key.hasSameBytes(as: $1.key) }
    if !differs { return zip(one.members, other.members).allSatisfy { $0.value == $1.value } }
    var index = JSONKeyIndex()
    for member in other.members { index.set(member.key, member.value) }
    return one.members.allSatisfy { index[$0.key] == $0.value }
  }

  /// Hashes the sum of the members' hashes, so that equal objects with different orders have the same hash.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(members.count)
    hasher.combine(members.reduce(0) { $0 &+ $1.hashValue })
  }
}

/// A collector of members that builds a key table once the number of members exceeds `walkedMembers`.
struct JSONKeyIndex {
  /// The number of members up to which a linear search is faster than a table.
  private static let walkedMembers = 8

  private(set) var members: [JSONObject.Member] = []
  private var positions: [UTF8Text: Int] = [:]

  private func position(of key: String) -> Int? {
    members.count <= Self.walkedMembers
      ? members.firstIndex { $0.key.hasSameBytes(as: key) } : positions[UTF8Text(key)]
  }

  /// The value of a key.
  subscript(key: String) -> JSONValue? { position(of: key).map { members[$0].value } }

  /// Sets the value of a key.
  ///
  /// Returns true if the key already existed.
  @discardableResult
  mutating func set(_ key: String, _ value: JSONValue) -> Bool {
    if let position = position(of: key) {
      members[position].value = value
      return true
    }
    members.append(JSONObject.Member(key: key, value: value))
    if members.count == Self.walkedMembers + 1 {
      for (position, member) in members.enumerated() { positions[UTF8Text(member.key)] = position }
    } else if members.count > Self.walkedMembers {
      positions[UTF8Text(key)] = members.count - 1
    }
    assert(
      positions.isEmpty || positions.count == members.count,
      "the lookup table contains every key once")
    return false
  }
}
