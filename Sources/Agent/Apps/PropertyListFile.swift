import BelfryWire
import Foundation

/// A reader of apps' property lists, in every format.
enum PropertyListFile {
  /// Returns the dictionary that the bytes encode; nil if they encode no dictionary, or if reading it would exceed the
  /// limits.
  static func dictionary(_ bytes: Data) -> [String: Any]? {
    let list = [UInt8](bytes)
    guard BinaryPropertyList.mayBeRead(list), !CombiningRuns.areLong(inList: list) else {
      return nil
    }
    return try? unsafe PropertyListSerialization.propertyList(
      from: bytes, options: [], format: nil) as? [String: Any]
  }
}

/// A check of the number of values that a binary property list expands to when it is read.
///
/// The objects of a binary list refer to each other by number, and Foundation creates a value for each reference. A
/// list of a few hundred bytes, in which each of forty arrays refers to the next one twice, would expand to more values
/// than any machine's memory can hold.
struct BinaryPropertyList {
  private let bytes: [UInt8]
  private let offsetBytes: Int
  private let referenceBytes: Int
  private let objectCount: Int
  private let tableOffset: Int
  /// The number of values that each object expands to; 0 while the object is being counted.
  private var counts: [Int: Int] = [:]

  /// Returns false for a binary list that expands to too many values, is nested too deeply, or contains itself.
  ///
  /// Returns true for lists in other formats, which do not expand.
  static func mayBeRead(_ bytes: [UInt8]) -> Bool {
    guard bytes.starts(with: Array("bplist".utf8)) else { return true }
    guard var list = BinaryPropertyList(bytes), let top = list.topObject else { return false }
    return list.values(of: top, depth: 0) != nil
  }

  private var topObject: Int? { number(at: bytes.count - 16, 8) }

  private init?(_ bytes: [UInt8]) {
    self.bytes = bytes
    guard bytes.count >= 40 else { return nil }
    let trailer = bytes.count - 32
    offsetBytes = Int(bytes[trailer + 6])
    referenceBytes = Int(bytes[trailer + 7])
    objectCount = Self.number(bytes[(trailer + 8)..<(trailer + 16)]) ?? 0
    tableOffset = Self.number(bytes[(trailer + 24)..<(trailer + 32)]) ?? .max
    guard (1...8).contains(offsetBytes), (1...8).contains(referenceBytes),
      tableOffset <= trailer, objectCount <= (trailer - tableOffset) / offsetBytes
    else { return nil }
  }

  /// Returns the number of values that the object expands to, or nil if there are too many or the object is invalid.
  private mutating func values(of object: Int, depth: Int) -> Int? {
    if let known = counts[object] { return known > 0 ? known : nil }
    guard depth <= Limits.propertyListDepth, object < objectCount,
      let start = number(at: tableOffset + object * offsetBytes, offsetBytes),
      start < tableOffset
    else { return nil }
    counts[object] = 0
    guard let references = references(at: start) else { return nil }
    var total = 1
    for reference in references {
      guard let count = values(of: reference, depth: depth + 1) else { return nil }
      total += count
      guard total <= Limits.propertyListValues else { return nil }
    }
    counts[object] = total
    return total
  }

  /// Returns the objects that an array, a set, or a dictionary refers to; empty for any other object.
  private func references(at start: Int) -> [Int]? {
    let marker = bytes[start]
    guard [0xA0, 0xB0, 0xC0, 0xD0].contains(marker & 0xF0) else { return [] }
    var count = Int(marker & 0x0F)
    var position = start + 1
    if count == 0x0F {
      guard position < tableOffset, bytes[position] & 0xF0 == 0x10 else { return nil }
      let width = 1 << Int(bytes[position] & 0x0F)
      guard width <= 8, let long = number(at: position + 1, width) else { return nil }
      count = long
      position += 1 + width
    }
    let total = count.multipliedReportingOverflow(by: marker & 0xF0 == 0xD0 ? 2 : 1)
    guard !total.overflow, total.partialValue <= (tableOffset - position) / referenceBytes else {
      return nil
    }
    var references: [Int] = []
    for index in 0..<total.partialValue {
      guard let reference = number(at: position + index * referenceBytes, referenceBytes) else {
        return nil
      }
      references.append(reference)
    }
    return references
  }

  private func number(at start: Int, _ count: Int) -> Int? {
    guard start >= 0, count <= bytes.count - start else { return nil }
    return Self.number(bytes[start..<start + count])
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
    Int(exactly: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
  }
}
