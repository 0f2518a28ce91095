import Glibc

/// The dynamic table of HPACK (RFC 7541 section 2.3.2), whose text is stored in a ring of bytes.
///
/// The text of an entry is contiguous. The ring is twice as large as the table, so that an entry that doesn't fit at
/// the ring's end has room at its start: all entries before the end then occupy less than half of the ring.
@safe struct HPACKDynamicTable: ~Copyable {
  private struct Entry {
    var offset: UInt32
    var nameBytes: UInt32
    var valueBytes: UInt32
    var known: HTTP2FieldName
    var kind: HTTP2FieldKind
  }

  /// The ring of bytes and the ring of entries; nil until the first entry.
  private var text: UnsafeMutablePointer<UInt8>?
  private var entries: UnsafeMutablePointer<Entry>?
  private let bytesMax: Int
  private let entriesMask: Int
  /// The position in `entries` of the next entry; the newest entry is before it.
  private var position = 0
  /// The offset in `text` of the next entry.
  private var offset = 0
  private(set) var count = 0
  /// The size of all entries as defined in RFC 7541 section 4.1.
  private(set) var size = 0
  /// The maximum size, which the peer determines within the bounds of SETTINGS_HEADER_TABLE_SIZE.
  private(set) var sizeMax: Int

  /// Creates a table with a maximum size of `sizeMax`, which never exceeds `bytesMax`.
  init(sizeMax: Int, bytesMax: Int) {
    assert(sizeMax <= bytesMax, "the table's maximum size is within its bounds")
    self.sizeMax = sizeMax
    self.bytesMax = bytesMax
    var capacity = 1
    while capacity < bytesMax / Limits.fieldOverheadBytes + 1 { capacity *= 2 }
    entriesMask = capacity - 1
    unsafe text = nil
    unsafe entries = nil
  }

  deinit {
    unsafe text?.deallocate()
    unsafe entries?.deallocate()
  }

  /// Sets the maximum size, and evicts the oldest entries that don't fit.
  mutating func resize(_ bytes: Int) {
    precondition(bytes >= 0 && bytes <= bytesMax, "the peer's limit was checked")
    sizeMax = bytes
    evict(to: bytes)
  }

  private mutating func evict(to bytes: Int) {
    guard let entries = unsafe entries else { return }
    while size > bytes {
      precondition(count > 0, "an empty table has no size")
      let oldest = unsafe entries[(position &- count) & entriesMask]
      size &-= Int(oldest.nameBytes &+ oldest.valueBytes) &+ Limits.fieldOverheadBytes
      count &-= 1
    }
  }

  /// Copies the entry with this index, of which 1 is the newest, to `field`, or returns false if there is none.
  ///
  /// The pointers are valid until the next insertion.
  @inline(__always)
  func get(_ index: Int, _ field: inout HPACKField) -> Bool {
    guard index > 0, index <= count, let entries = unsafe entries, let text = unsafe text else {
      return false
    }
    let entry = unsafe entries[(position &- index) & entriesMask]
    let start = unsafe text + Int(entry.offset)
    unsafe field.name = UnsafeRawBufferPointer(start: start, count: Int(entry.nameBytes))
    unsafe field.value = UnsafeRawBufferPointer(
      start: start + Int(entry.nameBytes), count: Int(entry.valueBytes))
    unsafe field.known = entry.known
    unsafe field.kind = entry.kind
    return true
  }

  /// Adds a field as the newest entry, and replaces its pointers with pointers to the entry.
  ///
  /// A field that is larger than the table empties the table and isn't added. The field's name may point to an entry,
  /// even to one that is evicted.
  mutating func insert(_ field: inout HPACKField) {
    let (nameBytes, valueBytes) = unsafe (field.name.count, field.value.count)
    let room = nameBytes &+ valueBytes &+ Limits.fieldOverheadBytes
    guard room <= sizeMax else { return evict(to: 0) }
    if unsafe text == nil {
      unsafe text = .allocate(capacity: 2 * bytesMax)
      unsafe entries = .allocate(capacity: entriesMask + 1)
    }
    evict(to: sizeMax &- room)
    guard let text = unsafe text, let entries = unsafe entries else { return }
    if offset &+ nameBytes &+ valueBytes > 2 &* bytesMax { offset = 0 }
    let start = unsafe text + offset
    // The name can overlap the new entry if its own entry was just evicted.
    if let name = unsafe field.name.baseAddress { unsafe memmove(start, name, nameBytes) }
    if let value = unsafe field.value.baseAddress {
      unsafe memcpy(start + nameBytes, value, valueBytes)
    }
    unsafe entries[position] = unsafe Entry(
      offset: UInt32(offset), nameBytes: UInt32(nameBytes), valueBytes: UInt32(valueBytes),
      known: field.known, kind: field.kind)
    position = (position &+ 1) & entriesMask
    offset &+= nameBytes &+ valueBytes
    count &+= 1
    size &+= room
    unsafe field.name = UnsafeRawBufferPointer(start: start, count: nameBytes)
    unsafe field.value = UnsafeRawBufferPointer(start: start + nameBytes, count: valueBytes)
    checkInvariants()
  }

  /// Traps in debug builds if the fields are inconsistent.
  func checkInvariants() {
    assert(size <= sizeMax && sizeMax <= bytesMax, "the entries fit in the table")
    assert(count <= entriesMask + 1, "the entries fit in their ring")
    assert(offset <= 2 * bytesMax, "the text fits in its ring")
    assert(count > 0 || size == 0, "an empty table has no size")
  }
}
