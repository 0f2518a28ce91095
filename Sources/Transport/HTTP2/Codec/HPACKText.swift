import Glibc

/// Memory for a field's decoded name and value, which is reused for the next field.
@safe struct HPACKText: ~Copyable {
  private var block: UnsafeMutablePointer<UInt8>?
  private var capacity = 0

  init() { unsafe block = nil }

  deinit { unsafe free(block) }

  /// Returns memory for at least `count` bytes, which invalidates the memory returned before.
  @inline(__always)
  mutating func memory(_ count: Int) -> UnsafeMutablePointer<UInt8> {
    if count <= capacity, let block = unsafe block { return unsafe block }
    return unsafe grow(count)
  }

  private mutating func grow(_ count: Int) -> UnsafeMutablePointer<UInt8> {
    let wanted = max(count, Limits.fieldTextKept)
    unsafe free(block)
    guard let fresh = unsafe malloc(wanted) else {
      preconditionFailure("no memory for \(wanted) bytes of a field")
    }
    let memory = unsafe fresh.assumingMemoryBound(to: UInt8.self)
    unsafe block = memory
    capacity = wanted
    return unsafe memory
  }

  /// Frees memory that exceeds the capacity to retain.
  mutating func trim() {
    guard capacity > Limits.fieldTextKept else { return }
    unsafe free(block)
    unsafe block = nil
    capacity = 0
  }
}

/// The last `authorization` value that a client sent outside of HPACK's tables, in encoded and decoded form.
///
/// Clients based on nghttp2 send the provider token in this way with each request. Comparing the token's encoded form
/// costs less than decoding and checking it.
@safe struct HPACKLastSecret: ~Copyable {
  private var encoded: UnsafeMutablePointer<UInt8>?
  private var encodedCount = 0
  private var valueCount = 0
  private var kind = HTTP2FieldKind.malformed

  init() { unsafe encoded = nil }

  deinit { unsafe encoded?.deallocate() }

  /// Copies the value and its kind to `field` if its encoded form is `bytes`, or returns false.
  func get(_ bytes: UnsafeRawBufferPointer, _ field: inout HPACKField) -> Bool {
    guard bytes.count == encodedCount, let encoded = unsafe encoded,
      let start = bytes.baseAddress, unsafe memcmp(encoded, start, encodedCount) == 0
    else { return false }
    unsafe field.value = UnsafeRawBufferPointer(
      start: encoded + Limits.secretBytes, count: valueCount)
    unsafe field.kind = kind
    return true
  }

  mutating func set(_ bytes: UnsafeRawBufferPointer, _ field: borrowing HPACKField) {
    guard bytes.count <= Limits.secretBytes, let start = bytes.baseAddress,
      let value = unsafe field.value.baseAddress
    else { return }
    let capacity = Limits.secretBytes + HPACKHuffman.capacity(Limits.secretBytes)
    let memory = unsafe encoded ?? .allocate(capacity: capacity)
    unsafe encoded = memory
    encodedCount = bytes.count
    valueCount = unsafe field.value.count
    precondition(Limits.secretBytes + valueCount <= capacity, "a value is at most 8/5 of its code")
    unsafe memcpy(memory, start, encodedCount)
    unsafe memcpy(memory + Limits.secretBytes, value, valueCount)
    kind = unsafe field.kind
  }
}
