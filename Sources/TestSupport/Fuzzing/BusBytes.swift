/// A writer for D-Bus values in little-endian format, which takes the values from a fuzz input.
struct BusBytes {
  var bytes: [UInt8] = []

  /// Strings that the agent's readers look for, and some that they do not expect.
  private static let words = [
    "", "org.bluez.Device1", "org.bluez.Adapter1", "ManufacturerData", "RSSI", "Latitude",
    "Longitude", "Accuracy", "org.freedesktop.NetworkManager", "Metered", "State", "Timezone",
    "WarningLevel", "LockedHint", "PreparingForSleep", "key", "Europe/Zurich", "power-saver",
    "org.freedesktop.login1", "org.freedesktop.GeoClue2", "org.bluez", ":1.9", "é", "/",
  ]
  private static let paths = ["/", "/org/bluez/hci0", "/org/bluez/hci0/dev_1", "/a", "/a/b'c"]

  mutating func align(_ count: Int) {
    while !bytes.count.isMultiple(of: count) { bytes.append(0) }
  }

  mutating func number(_ value: UInt32) {
    align(4)
    for shift in stride(from: UInt32(0), to: 32, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }

  mutating func text(_ text: String) {
    number(UInt32(text.utf8.count))
    bytes += Array(text.utf8) + [0]
  }

  mutating func signature(_ signature: [UInt8]) {
    bytes += [UInt8(truncatingIfNeeded: signature.count)] + signature + [0]
  }

  /// Writes a value of the first complete type in `type`, and removes that type from `type`.
  mutating func fill(_ type: inout ArraySlice<UInt8>, _ input: inout FuzzInput, depth: Int) {
    switch Unicode.Scalar(type.popFirst() ?? 0x79) {
    case "y": bytes.append(input.byte())
    case "n", "q":
      align(2)
      // Apple's Bluetooth company number, or a random one.
      bytes += input.choice(2) == 0 ? [0x4C, 0] : [input.byte(), input.byte()]
    case "b": number(UInt32(input.choice(3)))
    case "i", "u", "h": number(UInt32(truncatingIfNeeded: input.number(1 + input.choice(4))))
    case "x", "t", "d":
      align(8)
      bytes += input.bytes(8)
      align(8)
    case "s":
      guard input.choice(4) == 0 else { return text(Self.words[input.choice(Self.words.count)]) }
      text(String(decoding: input.bytes(input.choice(64)).filter { $0 != 0 }, as: UTF8.self))
    case "o": text(Self.paths[input.choice(Self.paths.count)])
    case "g": signature(Array("s".utf8))
    case "v": fillVariant(&input, depth: depth)
    case "(", "{":
      align(8)
      while let next = type.first, next != 0x29, next != 0x7D { fill(&type, &input, depth: depth) }
      _ = type.popFirst()
    case "a": fillArray(&type, &input, depth: depth)
    default: break
    }
  }

  private mutating func fillVariant(_ input: inout FuzzInput, depth: Int) {
    let types = [
      "s", "u", "d", "b", "ay", "a{qv}", "as", "o", "n", "x", "a{sv}", "v", "(sv)", "av",
    ]
    let inner = depth < 40 ? types[input.choice(types.count)] : "y"
    signature(Array(inner.utf8))
    var type = Array(inner.utf8)[...]
    fill(&type, &input, depth: depth + 1)
  }

  private mutating func fillArray(
    _ type: inout ArraySlice<UInt8>, _ input: inout FuzzInput, depth: Int
  ) {
    let element = Self.completeType(of: type)
    type = type.dropFirst(element.count)
    number(0)
    let lengthAt = bytes.count - 4
    if [0x78, 0x74, 0x64, 0x28, 0x7B].contains(element.first) { align(8) }
    let start = bytes.count
    for _ in 0..<input.choice(element == [0x79] ? 40 : 4) where !input.isEmpty {
      var one = element[...]
      fill(&one, &input, depth: depth + 1)
    }
    let length = UInt32(bytes.count - start)
    for index in 0..<4 {
      bytes[lengthAt + index] = UInt8(truncatingIfNeeded: length >> UInt32(8 * index))
    }
  }

  /// Returns the first complete type: one letter, or everything up to the closing bracket.
  private static func completeType(of type: ArraySlice<UInt8>) -> [UInt8] {
    var depth = 0
    var taken: [UInt8] = []
    for byte in type {
      taken.append(byte)
      if byte == 0x28 || byte == 0x7B { depth += 1 }
      if byte == 0x29 || byte == 0x7D { depth -= 1 }
      if depth == 0, byte != 0x61 { break }
    }
    return taken
  }
}
