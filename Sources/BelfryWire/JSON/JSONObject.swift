/// The members of a JSON object in their order; each key once.
///
/// Look-up walks the members: the objects of this project have few.
public struct JSONObject: Sendable, Hashable, ExpressibleByDictionaryLiteral {
  /// One key with its value.
  public struct Member: Sendable, Hashable {
    /// Distinct within its object.
    public var key: String
    /// Whatever stands behind the key.
    public var value: JSONValue

    /// Pairs a key with its value.
    public init(key: String, value: JSONValue) {
      self.key = key
      self.value = value
    }
  }

  /// The members in order.
  public private(set) var members: [Member]

  /// An object without members.
  public init() { members = [] }

  /// The pairs in order; of two with one key the later value replaces the earlier one.
  public init(_ pairs: [(String, JSONValue)]) {
    members = []
    members.reserveCapacity(pairs.count)
    for (key, value) in pairs { self[key] = value }
  }

  /// The pairs as written.
  public init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(elements) }

  /// Members that are known to have distinct keys.
  init(unique members: [Member]) {
    assert(Set(members.map(\.key)).count == members.count, "each key is there once")
    self.members = members
  }

  /// The value of a key; setting nil removes the member.
  public subscript(key: String) -> JSONValue? {
    get { members.first { $0.key == key }?.value }
    set {
      let position = members.firstIndex { $0.key == key }
      switch (position, newValue) {
      case (let position?, let value?): members[position].value = value
      case (let position?, nil): members.remove(at: position)
      case (nil, let value?): members.append(Member(key: key, value: value))
      case (nil, nil): break
      }
    }
  }

  /// The keys in order.
  public var keys: [String] { members.map(\.key) }
  /// How many members there are.
  public var count: Int { members.count }
  /// Whether there is no member.
  public var isEmpty: Bool { members.isEmpty }

  /// Whether both hold the same members, in whatever order.
  public static func == (one: JSONObject, other: JSONObject) -> Bool {
    guard one.members.count == other.members.count else { return false }
    if one.members.elementsEqual(other.members) { return true }
    return one.members.allSatisfy { other[$0.key] == $0.value }
  }

  /// Feeds the members in an order of their own, so that equal objects hash alike.
  public func hash(into hasher: inout Hasher) {
    for member in members.sorted(by: { $0.key < $1.key }) { hasher.combine(member) }
  }
}
