import CLinux
import Glibc

/// Random data from the kernel, suitable for keys.
public enum SystemRandom {
  /// Fills `buffer` with random bytes.
  public static func fill(_ buffer: UnsafeMutableRawBufferPointer) {
    var filled = 0
    while filled < buffer.count, let base = buffer.baseAddress {
      let count = unsafe getrandom(base + filled, buffer.count - filled, 0)
      // `getrandom` waits until the kernel's pool is initialized. The program must not continue without randomness.
      precondition(count > 0 || errno == EINTR, "the kernel provides random bytes")
      filled += max(0, count)
      assert(filled <= buffer.count, "no more bytes were read than requested")
    }
  }

  /// Returns `count` random bytes.
  public static func bytes(_ count: Int) -> [UInt8] {
    // All empty arrays share the same storage, and the initializer would write its count there.
    guard count > 0 else { return [] }
    return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, used in
      unsafe fill(UnsafeMutableRawBufferPointer(buffer))
      used = count
    }
  }

  /// A generator that takes a few nanoseconds per number, because one system call fills 4,096 bytes.
  ///
  /// Copies share the same buffer, so that no two copies return the same bytes. Use a generator only on one thread.
  public struct Generator: RandomNumberGenerator {
    private let pool: Pool

    /// Creates a generator with an empty buffer.
    public init() { pool = Pool(seed: nil) }

    /// Creates a generator whose numbers are determined by `seed`; use this generator only for simulations, never for
    /// secrets.
    public init(predictableFrom seed: UInt64) { pool = Pool(seed: seed) }

    /// Returns the next 64 random bits.
    public mutating func next() -> UInt64 { pool.next() }

    // `@safe`: the words belong to this object for its whole lifetime. The first word is the number of remaining words,
    // which are taken from the end. Access through a pointer avoids a bounds check.
    @safe private final class Pool {
      private let words = UnsafeMutableBufferPointer<UInt64>.allocate(
        capacity: Limits.randomPoolWords + 1)

      private var seed: UInt64?

      init(seed: UInt64?) {
        self.seed = seed
        unsafe words.initialize(repeating: 0)
      }

      deinit { unsafe words.deallocate() }

      func next() -> UInt64 {
        var left = unsafe Int(words[0])
        if left == 0 {
          left = Limits.randomPoolWords
          refill()
        }
        assert((1...Limits.randomPoolWords).contains(left), "at least one random word is left")
        let word = unsafe words[left]
        unsafe words[left] = 0
        unsafe words[0] = UInt64(left - 1)
        return word
      }

      /// Fills the words after the first word, either from the kernel or from the seed with SplitMix64.
      private func refill() {
        guard var state = seed else {
          unsafe fill(
            UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(words)[8...]))
          return
        }
        for index in 1...Limits.randomPoolWords {
          state &+= 0x9E37_79B9_7F4A_7C15
          var word = state
          word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
          word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
          unsafe words[index] = word ^ (word >> 31)
        }
        seed = state
      }
    }
  }
}
