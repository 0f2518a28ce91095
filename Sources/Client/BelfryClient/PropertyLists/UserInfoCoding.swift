package import BelfryWire
import Foundation

/// The encoding of an app's own data on the app link.
///
/// The data is encoded as JSON, so that other programs can read it. If the data contains dates, bytes, or large
/// numbers, a binary property list is added.
package enum UserInfoCoding {
  /// A value that a property list cannot represent.
  package struct Unsuitable: Error, CustomStringConvertible {
    package let description: String
  }

  /// The state of an encoding: the values that it accepts, and whether JSON represents all values exactly so far.
  private struct Progress {
    let allowsNull: Bool
    var isExact = true
  }

  /// Encodes data for the agent.
  ///
  /// If `allowsNull` is true, NSNull is accepted. A property list cannot contain NSNull (S0-15), but the JSON of a push
  /// can.
  package static func encode(
    _ userInfo: [AnyHashable: Any], allowsNull: Bool = false
  ) throws(Unsuitable) -> (json: JSONObject, archive: [UInt8]?) {
    guard !userInfo.isEmpty else { return ([:], nil) }
    var progress = Progress(allowsNull: allowsNull)
    let json = try object(userInfo, depth: 0, &progress)
    guard !progress.isExact else { return (json, nil) }
    guard let archive = archive(userInfo) else {
      throw Unsuitable(description: "the data is not a property list")
    }
    return (json, archive)
  }

  /// Returns the data as a binary property list; nil if a property list cannot represent it.
  package static func archive(_ userInfo: [AnyHashable: Any]) -> [UInt8]? {
    guard
      let list = propertyList(userInfo) as? [String: Any],
      let data = try? PropertyListSerialization.data(
        fromPropertyList: list, format: .binary, options: 0)
    else { return nil }
    return [UInt8](data)
  }

  /// Decodes the data that the agent stored.
  package static func decode(_ json: JSONObject, archive: [UInt8]?) -> [AnyHashable: Any] {
    if let archive,
      let list = unsafe try? PropertyListSerialization.propertyList(
        from: Data(archive), options: [], format: nil) as? [String: Any]
    {
      return list
    }
    return foundation(json)
  }

  /// Returns the payload of a push as a dictionary; empty if the payload is not a JSON object.
  package static func payload(_ bytes: [UInt8]) -> [AnyHashable: Any] {
    let value = try? JSONSerialization.jsonObject(with: Data(bytes))
    return value as? [String: Any] ?? [:]
  }

  /// Returns JSON as Foundation objects.
  ///
  /// Numbers are boxed, so that every `as?` cast works on them.
  package static func foundation(_ object: JSONObject) -> [String: Any] {
    var result: [String: Any] = [:]
    for member in object.members { result[member.key] = foundation(member.value) }
    return result
  }

  private static func foundation(_ value: JSONValue) -> Any {
    switch value {
    case .null: NSNull()
    case .bool(let value): NSNumber(value: value)
    case .integer(let value): NSNumber(value: value)
    case .double(let value): NSNumber(value: value)
    case .string(let value): value
    case .array(let values): values.map(foundation)
    case .object(let object): foundation(object) as Any
    }
  }

  private static func object(
    _ dictionary: [AnyHashable: Any], depth: Int, _ progress: inout Progress
  ) throws(Unsuitable) -> JSONObject {
    guard depth < Limits.propertyListDepth else {
      throw Unsuitable(description: "the data is nested too deeply")
    }
    var pairs: [(String, JSONValue)] = []
    for (key, value) in dictionary {
      guard let key = key.base as? String else {
        throw Unsuitable(description: "the key \(key.base) is not a string")
      }
      pairs.append((key, try json(value, depth: depth + 1, &progress)))
    }
    return JSONObject(pairs.sorted { $0.0 < $1.0 })
  }

  private static func json(
    _ value: Any, depth: Int, _ progress: inout Progress
  ) throws(Unsuitable) -> JSONValue {
    switch value {
    case let value as String: return .string(value)
    case let value as NSString: return .string(value as String)
    case let value as Bool where !(value as Any is NSNumber): return .bool(value)
    case let value as NSNumber: return number(value, &progress)
    case let value as Date:
      progress.isExact = false
      return .string(ISO8601DateFormatter().string(from: value))
    case let value as Data:
      progress.isExact = false
      return .string(value.base64EncodedString())
    case is NSNull where progress.allowsNull: return .null
    case let values as [Any]:
      guard depth < Limits.propertyListDepth else {
        throw Unsuitable(description: "the data is nested too deeply")
      }
      var list: [JSONValue] = []
      for value in values { list.append(try json(value, depth: depth + 1, &progress)) }
      return .array(list)
    case let value as [AnyHashable: Any]:
      return .object(try object(value, depth: depth, &progress))
    default:
      guard let number = boxed(value) else {
        throw Unsuitable(
          description: "a value of type \(type(of: value)) is not a property-list type")
      }
      return Self.number(number, &progress)
    }
  }

  /// Boxes a number of a Swift type, which Foundation on Linux does not box automatically.
  private static func boxed(_ value: Any) -> NSNumber? {
    switch value {
    case let value as Bool: NSNumber(value: value)
    case let value as Int: NSNumber(value: value)
    case let value as Double: NSNumber(value: value)
    case let value as Float: NSNumber(value: value)
    case let value as Int64: NSNumber(value: value)
    case let value as UInt64: NSNumber(value: value)
    case let value as UInt: NSNumber(value: value)
    case let value as any BinaryInteger:
      Int64(exactly: value).map { NSNumber(value: $0) }
    case let value as CGFloat: NSNumber(value: Double(value))
    default: nil
    }
  }

  private static func number(_ value: NSNumber, _ progress: inout Progress) -> JSONValue {
    // Booleans are recognized by identity: Foundation shares one object for each Boolean value.
    if value === NSNumber(value: true) || value === NSNumber(value: false) {
      return .bool(value.boolValue)
    }
    if let whole = value as? Int64, NSNumber(value: whole) == value, !isFloating(value) {
      return .integer(whole)
    }
    let double = value.doubleValue
    if !double.isFinite || !isFloating(value) { progress.isExact = false }
    return double.isFinite ? .double(double) : .string("\(double)")
  }

  private static func isFloating(_ value: NSNumber) -> Bool {
    let type = unsafe value.objCType.pointee
    return type == CChar(UInt8(ascii: "d")) || type == CChar(UInt8(ascii: "f"))
  }

  /// Returns the data as objects of classes that the property list writer accepts; null values are omitted.
  private static func propertyList(_ value: Any) -> Any? {
    switch value {
    case let value as String: return value
    case let value as NSString: return value as String
    case is NSNull: return nil
    case let value as Date: return value
    case let value as Data: return value
    case let value as NSNumber: return value
    case let values as [Any]: return values.compactMap(propertyList)
    case let value as [AnyHashable: Any]:
      var result: [String: Any] = [:]
      for (key, value) in value {
        if let key = key.base as? String { result[key] = propertyList(value) }
      }
      return result
    default: return boxed(value)
    }
  }
}
