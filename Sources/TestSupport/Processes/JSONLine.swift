import Foundation

/// A JSON value that a program printed on a separate line.
public enum JSONLine: Decodable, Equatable, Sendable {
  case null
  case boolean(Bool)
  case number(Double)
  case string(String)
  case array([JSONLine])
  case object([String: JSONLine])

  /// Parses a line; returns `nil` if the line is not JSON.
  public init?(_ text: String) {
    guard let value = try? JSONDecoder().decode(JSONLine.self, from: Data(text.utf8)) else {
      return nil
    }
    self = value
  }

  /// Decodes any JSON value.
  public init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let boolean = try? value.decode(Bool.self) {
      self = .boolean(boolean)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else if let string = try? value.decode(String.self) {
      self = .string(string)
    } else if let array = try? value.decode([JSONLine].self) {
      self = .array(array)
    } else {
      self = .object(try value.decode([String: JSONLine].self))
    }
  }

  /// The value of an object's member; `null` if there is no such member.
  public subscript(_ key: String) -> JSONLine {
    if case .object(let members) = self { members[key] ?? .null } else { .null }
  }

  /// The element of an array; `null` if there is no such element.
  public subscript(_ index: Int) -> JSONLine {
    if case .array(let elements) = self, elements.indices.contains(index) {
      elements[index]
    } else {
      .null
    }
  }

  /// The string, if the value is a string.
  public var string: String? { if case .string(let string) = self { string } else { nil } }

  /// The integer, if the value is an integer.
  public var integer: Int? {
    if case .number(let number) = self { Int(exactly: number) } else { nil }
  }

  /// The Boolean, if the value is a Boolean.
  public var boolean: Bool? { if case .boolean(let boolean) = self { boolean } else { nil } }

  /// The elements, if the value is an array.
  public var array: [JSONLine] { if case .array(let elements) = self { elements } else { [] } }
}
