/// The state of a server session that changes with each frame: the position within the frame, the flood budget, and the
/// session's failure.
///
/// The state is behind a pointer, because Swift checks each access to a property of a class at run time.
struct ServerInput {
  private var splitter = FrameSplitter(prefaceBytes: 24)
  var budget: FloodBudget
  /// True once a complete frame header has arrived.
  private(set) var hasFrames = false
  /// True if the next frame is the first frame in a block of input.
  var isAtStartOfRead = true
  /// The error code of the final GOAWAY, if the session can't continue.
  var failure: UInt32?

  init(nowNanoseconds: Int64) { budget = FloodBudget(nowNanoseconds: nowNanoseconds) }

  /// Returns the number of bytes up to the end of the first frame, or nil if the frame exhausts the budget.
  mutating func nextFrame(of bytes: UnsafeRawBufferPointer) -> Int? {
    // Use local copies. The closure can't access `self` while `splitter`, which is a part of `self`, is being changed.
    var (spent, hasSeenFrames) = (budget, hasFrames)
    defer { (budget, hasFrames) = (spent, hasSeenFrames) }
    return unsafe splitter.prefix(of: bytes) { type, flags, length in
      hasSeenFrames = true
      return spent.charge(.frame(type: type, flags: flags, length: length))
    }
  }
}
