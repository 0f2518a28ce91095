/// A decoder of field blocks (RFC 7541 section 3), which decodes one field at a time.
///
/// A block may arrive in pieces. A field is decoded once all of its bytes have arrived.
@safe package struct HPACKFieldDecoder: ~Copyable {
  package enum Step {
    /// A field was decoded.
    case field
    /// The bytes end within a field.
    case incomplete
    /// The bytes end after a field.
    case end
    /// The block violates RFC 7541, and the connection can't continue.
    case invalid
  }

  private var table: HPACKDynamicTable
  private var text = HPACKText()
  private var secret = HPACKLastSecret()
  private let staticEntries = unsafe HPACKStaticTable.shared.entries
  /// The limit on the table's size that the peer has acknowledged, in bytes.
  private var sizeLimit: Int
  /// True if the peer must announce a size before its next field, because the limit became lower than the size.
  private var awaitsSize = false
  private var isAtStart = true

  /// Creates a decoder whose table can be as large as `tableBytes`, once the peer has acknowledged this limit.
  package init(tableBytes: Int) {
    sizeLimit = Self.initialTableBytes
    table = HPACKDynamicTable(
      sizeMax: sizeLimit, bytesMax: max(tableBytes, Self.initialTableBytes))
  }

  /// The initial value of SETTINGS_HEADER_TABLE_SIZE (RFC 9113 section 6.5.2), in bytes.
  static let initialTableBytes = 4_096

  /// Applies a limit on the table's size that the peer has acknowledged.
  mutating func limitTable(_ bytes: Int) {
    sizeLimit = bytes
    guard table.sizeMax > bytes else { return }
    table.resize(bytes)
    awaitsSize = true
  }

  /// Ends a block, after which the next byte begins another block.
  package mutating func endBlock() {
    isAtStart = true
    text.trim()
  }

  /// Decodes the next field of `block` and moves `offset` past it.
  ///
  /// The field's pointers are valid until the next call, as long as `block` is.
  @inline(__always)
  package mutating func next(
    _ block: UnsafeRawBufferPointer, at offset: inout Int, _ field: inout HPACKField
  ) -> Step {
    let bytes = unsafe block.assumingMemoryBound(to: UInt8.self).span
    while offset < bytes.count {
      let first = bytes[offset]
      if first & 0xe0 == 0x20 {
        let step = resize(bytes, at: &offset)
        guard step == .field else { return step }
        continue
      }
      guard !awaitsSize else { return .invalid }
      guard first & 0x80 != 0 else { return unsafe literal(bytes, block, at: &offset, &field) }
      var position = offset
      let index = HPACKInteger.read(bytes, at: &position, prefix: 7)
      guard index >= 0 else { return index == HPACKInteger.invalid ? .invalid : .incomplete }
      guard unsafe get(index, &field) else { return .invalid }
      offset = position
      isAtStart = false
      return .field
    }
    return .end
  }

  /// Reads a new size of the dynamic table (RFC 7541 section 6.3), which only the start of a block may contain.
  private mutating func resize(_ bytes: Span<UInt8>, at offset: inout Int) -> Step {
    guard isAtStart else { return .invalid }
    var position = offset
    let size = HPACKInteger.read(bytes, at: &position, prefix: 5)
    guard size >= 0 else { return size == HPACKInteger.invalid ? .invalid : .incomplete }
    guard size <= sizeLimit else { return .invalid }
    table.resize(size)
    awaitsSize = false
    offset = position
    return .field
  }

  @inline(__always)
  private func get(_ index: Int, _ field: inout HPACKField) -> Bool {
    guard index > HPACKStaticTable.count else {
      guard index > 0 else { return false }
      unsafe field = staticEntries[index &- 1]
      return true
    }
    return unsafe table.get(index &- HPACKStaticTable.count, &field)
  }

  /// The position of a string in a block.
  private struct Text {
    var start = 0
    var count = 0
    var isHuffman = false

    var capacity: Int { isHuffman ? HPACKHuffman.capacity(count) : 0 }

    /// Reads the length of the string at `offset`, and moves `offset` past the string.
    init(_ bytes: Span<UInt8>, at offset: inout Int, _ step: inout Step) {
      guard step == .field else { return }
      guard offset < bytes.count else {
        step = .incomplete
        return
      }
      isHuffman = bytes[offset] & 0x80 != 0
      count = HPACKInteger.read(bytes, at: &offset, prefix: 7)
      if count < 0 || count > Limits.fieldStringBytes {
        step = count == HPACKInteger.incomplete ? .incomplete : .invalid
        return
      }
      guard bytes.count &- offset >= count else {
        step = .incomplete
        return
      }
      start = offset
      offset &+= count
    }
  }

  /// Decodes a literal field (RFC 7541 section 6.2).
  private mutating func literal(
    _ bytes: Span<UInt8>, _ block: UnsafeRawBufferPointer, at offset: inout Int,
    _ field: inout HPACKField
  ) -> Step {
    var position = offset
    let isIndexed = bytes[offset] & 0x40 != 0
    let index = HPACKInteger.read(bytes, at: &position, prefix: isIndexed ? 6 : 4)
    guard index >= 0 else { return index == HPACKInteger.invalid ? .invalid : .incomplete }
    guard index <= HPACKStaticTable.count &+ table.count else { return .invalid }
    // First find both strings, so that nothing is decoded twice if the field is incomplete.
    var step = Step.field
    var name: Text?
    if index == 0 { name = Text(bytes, at: &position, &step) }
    let value = Text(bytes, at: &position, &step)
    guard step == .field else { return step }
    let nameCapacity = name?.capacity ?? 0
    let memory = unsafe text.memory(nameCapacity &+ value.capacity)
    if let name {
      guard let decoded = unsafe Self.decode(name, of: block, bytes, into: memory) else {
        return .invalid
      }
      unsafe field.name = decoded
      unsafe field.known = HTTP2FieldName(decoded)
    } else {
      guard unsafe get(index, &field) else { return .invalid }
    }
    let isSecret = index == HPACKStaticTable.authorization && !isIndexed && value.isHuffman
    let encoded = unsafe UnsafeRawBufferPointer(
      rebasing: block[value.start..<(value.start &+ value.count)])
    if unsafe !isSecret || !secret.get(encoded, &field) {
      guard
        let decoded = unsafe Self.decode(value, of: block, bytes, into: memory + nameCapacity)
      else { return .invalid }
      unsafe field.value = decoded
      unsafe field.kind = HTTP2FieldKind(field.known, decoded)
      if isSecret { unsafe secret.set(encoded, field) }
    }
    if isIndexed { unsafe table.insert(&field) }
    offset = position
    isAtStart = false
    return .field
  }

  /// Returns a string of the block, which is decoded to `memory` if necessary, or nil if its code is invalid.
  private static func decode(
    _ text: Text, of block: UnsafeRawBufferPointer, _ bytes: Span<UInt8>,
    into memory: UnsafeMutablePointer<UInt8>
  ) -> UnsafeRawBufferPointer? {
    let range = text.start..<(text.start &+ text.count)
    guard text.isHuffman else { return unsafe UnsafeRawBufferPointer(rebasing: block[range]) }
    guard
      let count = unsafe HPACKHuffman.shared.decode(bytes.extracting(range), into: memory)
    else { return nil }
    assert(count <= text.capacity, "the decoded text fits in its memory")
    return unsafe UnsafeRawBufferPointer(start: memory, count: count)
  }

  /// Traps in debug builds if the fields are inconsistent.
  func checkInvariants() { table.checkInvariants() }
}
