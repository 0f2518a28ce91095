import CSystemd
import Glibc
import System

/// The reason that a call on the bus failed.
package struct BusFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The error's D-Bus name, or the sd-bus function that failed; empty if the bus cannot be reached.
  let name: String
  let message: String

  package var description: String {
    name.isEmpty ? message : message.isEmpty ? name : "\(message) (\(name))"
  }

  /// Returns the failure of an attempt to connect to a bus; `result` is the negative result of sd-bus.
  static func connecting(_ result: Int32) -> BusFailure {
    let message =
      switch -result {
      case ENOENT: "its socket does not exist"
      case ECONNREFUSED: "no program listens on its socket"
      case ENOMEDIUM: "the environment contains no address of a bus"
      default: SystemFailure.message(-result)
      }
    return BusFailure(name: "", message: message)
  }

  /// Returns the result of an sd-bus call; throws if the result is negative.
  static func check(_ result: Int32, _ call: StaticString) throws(BusFailure) -> Int32 {
    guard result >= 0 else {
      let text = unsafe strerror(-result).map { unsafe String(cString: $0) } ?? "error \(-result)"
      throw BusFailure(name: "\(call)", message: text)
    }
    return result
  }
}

/// A message on the bus, which holds a reference to sd-bus's message.
@safe final class BusMessage {
  let pointer: OpaquePointer

  /// Creates a message that takes ownership of the caller's reference.
  init(adopting pointer: OpaquePointer) { unsafe self.pointer = pointer }

  /// Creates a message that retains its own reference.
  init(borrowing pointer: OpaquePointer) {
    unsafe self.pointer = sd_bus_message_ref(pointer) ?? pointer
  }

  deinit { unsafe sd_bus_message_unref(pointer) }

  var sender: String { unsafe Self.text(sd_bus_message_get_sender(pointer)) }
  var member: String { unsafe Self.text(sd_bus_message_get_member(pointer)) }
  var interface: String { unsafe Self.text(sd_bus_message_get_interface(pointer)) }
  var path: String { unsafe Self.text(sd_bus_message_get_path(pointer)) }

  /// The error that the message reports; nil if the message is not an error.
  var failure: BusFailure? {
    guard let error = unsafe sd_bus_message_get_error(pointer) else { return nil }
    return unsafe BusFailure(
      name: Self.text(error.pointee.name), message: Self.text(error.pointee.message))
  }

  static func text(_ pointer: UnsafePointer<CChar>?) -> String {
    unsafe pointer.map { unsafe String(cString: $0) } ?? ""
  }

  // MARK: - Writing

  func append(_ values: [BusValue]) throws(BusFailure) {
    for value in values { try append(value) }
  }

  private func append(_ value: BusValue) throws(BusFailure) {
    switch value {
    case .byte(let number): try basic("y", number)
    case .bool(let flag): try basic("b", Int32(flag ? 1 : 0))
    case .int16(let number): try basic("n", number)
    case .uint16(let number): try basic("q", number)
    case .int32(let number): try basic("i", number)
    case .uint32(let number): try basic("u", number)
    case .int64(let number): try basic("x", number)
    case .uint64(let number): try basic("t", number)
    case .double(let number): try basic("d", number)
    case .descriptor(let number): try basic("h", number)
    case .string(let text): try basic("s", text: text)
    case .path(let text): try basic("o", text: text)
    case .signature(let text): try basic("g", text: text)
    case .bytes(let bytes):
      let result = unsafe bytes.withUnsafeBytes {
        unsafe sd_bus_message_append_array(pointer, Self.code("y"), $0.baseAddress, $0.count)
      }
      _ = try BusFailure.check(result, "sd_bus_message_append_array")
    case .array(let element, let elements):
      try open("a", element)
      try append(elements)
      try close()
    case .dictionary(let keyType, let valueType, let pairs):
      try open("a", "{\(keyType)\(valueType)}")
      for pair in pairs {
        try open("e", keyType + valueType)
        try append([pair.key, pair.value])
        try close()
      }
      try close()
    case .structure(let members):
      try open("r", members.map(\.signature).joined())
      try append(members)
      try close()
    case .variant(let inner):
      try open("v", inner.signature)
      try append(inner)
      try close()
    }
  }

  private func basic<Value>(_ type: Unicode.Scalar, _ value: Value) throws(BusFailure) {
    let result = unsafe withUnsafeBytes(of: value) {
      unsafe sd_bus_message_append_basic(pointer, Self.code(type), $0.baseAddress)
    }
    _ = try BusFailure.check(result, "sd_bus_message_append_basic")
  }

  private func basic(_ type: Unicode.Scalar, text: String) throws(BusFailure) {
    let result = unsafe text.withCString {
      unsafe sd_bus_message_append_basic(pointer, Self.code(type), $0)
    }
    _ = try BusFailure.check(result, "sd_bus_message_append_basic")
  }

  private func open(_ type: Unicode.Scalar, _ contents: String) throws(BusFailure) {
    let result = unsafe sd_bus_message_open_container(pointer, Self.code(type), contents)
    _ = try BusFailure.check(result, "sd_bus_message_open_container")
  }

  private func close() throws(BusFailure) {
    _ = try BusFailure.check(
      unsafe sd_bus_message_close_container(pointer), "sd_bus_message_close_container")
  }

  private static func code(_ type: Unicode.Scalar) -> CChar {
    CChar(truncatingIfNeeded: type.value)
  }

  // MARK: - Reading

  /// Reads all remaining values at this level.
  func read() throws(BusFailure) -> [BusValue] {
    var values: [BusValue] = []
    while let value = try next() { values.append(value) }
    return values
  }

  private func next() throws(BusFailure) -> BusValue? {
    var type: CChar = 0
    var contents: UnsafePointer<CChar>?
    let result = unsafe sd_bus_message_peek_type(pointer, &type, &contents)
    guard try BusFailure.check(result, "sd_bus_message_peek_type") > 0 else { return nil }
    let signature = unsafe Self.text(contents)
    switch Unicode.Scalar(UInt8(bitPattern: type)) {
    case "y": return .byte(try basic(type, UInt8(0)))
    case "b": return .bool(try basic(type, Int32(0)) != 0)
    case "n": return .int16(try basic(type, Int16(0)))
    case "q": return .uint16(try basic(type, UInt16(0)))
    case "i": return .int32(try basic(type, Int32(0)))
    case "u": return .uint32(try basic(type, UInt32(0)))
    case "x": return .int64(try basic(type, Int64(0)))
    case "t": return .uint64(try basic(type, UInt64(0)))
    case "d": return .double(try basic(type, Double(0)))
    case "h": return .descriptor(try basic(type, Int32(0)))
    case "s": return .string(try text(type))
    case "o": return .path(try text(type))
    case "g": return .signature(try text(type))
    case "v":
      guard
        let value = try inside(
          type, signature,
          { message throws(BusFailure) in
            try message.next()
          })
      else { throw BusFailure(name: "variant", message: "empty variant") }
      return .variant(value)
    case "r":
      return .structure(
        try inside(type, signature) { message throws(BusFailure) in try message.read() })
    case "a": return try array(type, signature)
    default: throw BusFailure(name: "type", message: "a message has an unknown type")
    }
  }

  private func array(_ type: CChar, _ contents: String) throws(BusFailure) -> BusValue {
    if contents == "y" { return .bytes(try bytes()) }
    guard contents.hasPrefix("{") else {
      return .array(
        contents, try inside(type, contents) { message throws(BusFailure) in try message.read() })
    }
    let inner = String(contents.dropFirst().dropLast())
    let pairs = try inside(type, contents) { message throws(BusFailure) in
      var pairs: [BusValue.Pair] = []
      while true {
        let result = unsafe sd_bus_message_enter_container(message.pointer, Self.code("e"), inner)
        guard try BusFailure.check(result, "sd_bus_message_enter_container") > 0 else { break }
        let members = try message.read()
        _ = try BusFailure.check(
          unsafe sd_bus_message_exit_container(message.pointer), "sd_bus_message_exit_container")
        guard members.count == 2, let key = members.first, let value = members.last else {
          throw BusFailure(name: "dictionary", message: "an entry without key or value")
        }
        pairs.append(BusValue.Pair(key: key, value: value))
      }
      return pairs
    }
    return .dictionary(String(inner.prefix(1)), String(inner.dropFirst()), pairs)
  }

  private func inside<Result>(
    _ type: CChar, _ contents: String, _ body: (BusMessage) throws(BusFailure) -> Result
  ) throws(BusFailure) -> Result {
    _ = try BusFailure.check(
      unsafe sd_bus_message_enter_container(pointer, type, contents),
      "sd_bus_message_enter_container")
    let value = try body(self)
    _ = try BusFailure.check(
      unsafe sd_bus_message_exit_container(pointer), "sd_bus_message_exit_container")
    return value
  }

  private func basic<Value>(_ type: CChar, _ zero: Value) throws(BusFailure) -> Value {
    var value = zero
    let result = unsafe withUnsafeMutableBytes(of: &value) {
      unsafe sd_bus_message_read_basic(pointer, type, $0.baseAddress)
    }
    _ = try BusFailure.check(result, "sd_bus_message_read_basic")
    return value
  }

  private func text(_ type: CChar) throws(BusFailure) -> String {
    var text: UnsafePointer<CChar>?
    let result = unsafe withUnsafeMutableBytes(of: &text) {
      unsafe sd_bus_message_read_basic(pointer, type, $0.baseAddress)
    }
    _ = try BusFailure.check(result, "sd_bus_message_read_basic")
    return unsafe Self.text(text)
  }

  private func bytes() throws(BusFailure) -> [UInt8] {
    var start: UnsafeRawPointer?
    var count = 0
    let result = unsafe sd_bus_message_read_array(pointer, Self.code("y"), &start, &count)
    _ = try BusFailure.check(result, "sd_bus_message_read_array")
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
  }
}
