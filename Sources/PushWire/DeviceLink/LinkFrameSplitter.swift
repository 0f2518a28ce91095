/// A splitter that divides a byte stream into frames.
///
/// The splitter uses memory only while a frame is incomplete. A frame that lies entirely in the received bytes is
/// returned in place. A frame that is split across two reads is assembled in a buffer, which is freed during the next
/// call.
@safe public struct LinkFrameSplitter: ~Copyable {
  /// A frame's type code and body; the body is valid until the next call to the splitter.
  @unsafe public struct Frame {
    /// The type code, which can be unknown.
    public let type: UInt8
    /// The bytes of the body.
    public let body: UnsafeRawBufferPointer
  }

  /// The frame that is being assembled: its header and the body bytes received so far.
  private var partial: UnsafeMutableRawBufferPointer?
  private var header: (UInt8, UInt8, UInt8) = (0, 0, 0)
  private var headerBytes: UInt8 = 0
  private var bodyBytes: UInt16 = 0
  private var isHandedOut = false
  private let bodyBytesMax: UInt16

  /// Creates a splitter for frames with a body of up to `bodyBytesMax` bytes.
  public init(bodyBytesMax: Int) {
    self.bodyBytesMax = UInt16(clamping: bodyBytesMax)
  }

  deinit { unsafe partial?.deallocate() }

  /// The number of heap bytes in use.
  public var heldBytes: Int { unsafe partial?.count ?? 0 }

  /// Returns the next complete frame in `input` and advances `input` past the frame.
  ///
  /// Returns `nil` once all of `input` is used. Throws `oversize` for a length over the limit, before reading any part
  /// of the body.
  public mutating func next(
    _ input: inout UnsafeRawBufferPointer
  ) throws(LinkFault) -> Frame? {
    if isHandedOut { release() }
    guard unsafe try takeHeader(&input) else { return nil }
    let length = Int(header.0) << 8 | Int(header.1)
    if unsafe partial == nil, input.count >= length {
      let body = unsafe UnsafeRawBufferPointer(rebasing: input[0..<length])
      unsafe input = UnsafeRawBufferPointer(rebasing: input[length..<input.count])
      headerBytes = 0
      return unsafe Frame(type: header.2, body: body)
    }
    return unsafe takeBody(&input, length: length)
  }

  /// Reads the missing bytes of the header.
  ///
  /// Returns true if the header is now complete.
  private mutating func takeHeader(
    _ input: inout UnsafeRawBufferPointer
  ) throws(LinkFault) -> Bool {
    while headerBytes < 3 {
      guard input.count > 0 else { return false }
      let byte = unsafe input[0]
      unsafe input = UnsafeRawBufferPointer(rebasing: input[1..<input.count])
      switch headerBytes {
      case 0: header.0 = byte
      case 1: header.1 = byte
      default: header.2 = byte
      }
      headerBytes += 1
    }
    guard UInt16(header.0) << 8 | UInt16(header.1) <= bodyBytesMax else {
      throw LinkFault(.oversize, frameType: header.2)
    }
    return true
  }

  private mutating func takeBody(
    _ input: inout UnsafeRawBufferPointer, length: Int
  ) -> Frame? {
    let buffer =
      unsafe partial ?? UnsafeMutableRawBufferPointer.allocate(byteCount: length, alignment: 8)
    unsafe partial = buffer
    assert(
      headerBytes == 3 && !isHandedOut, "the header is complete and the frame was not handed out")
    assert(buffer.count == length, "the buffer has the size of the frame's body")
    let taken = min(length - Int(bodyBytes), input.count)
    assert(taken >= 0, "the received bytes do not exceed the frame's body")
    let target = unsafe UnsafeMutableRawBufferPointer(
      rebasing: buffer[Int(bodyBytes)..<Int(bodyBytes) + taken])
    unsafe target.copyMemory(from: UnsafeRawBufferPointer(rebasing: input[0..<taken]))
    unsafe input = UnsafeRawBufferPointer(rebasing: input[taken..<input.count])
    bodyBytes += UInt16(taken)
    guard Int(bodyBytes) == length else { return nil }
    isHandedOut = true
    return unsafe Frame(type: header.2, body: UnsafeRawBufferPointer(buffer))
  }

  private mutating func release() {
    assert(unsafe partial?.count == Int(bodyBytes), "only a complete frame is released")
    unsafe partial?.deallocate()
    unsafe partial = nil
    headerBytes = 0
    bodyBytes = 0
    isHandedOut = false
  }
}
