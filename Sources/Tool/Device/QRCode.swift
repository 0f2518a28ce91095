/// A QR code (ISO/IEC 18004, model 2) in byte mode.
///
/// The code uses the lowest level of error correction, because an invitation is long, and a code on a screen isn't torn
/// or dirty.
///
/// Belfry has its own encoder; otherwise, every gateway and agent would load a library that only a single command uses.
struct QRCode {
  /// True if the module at `y * size + x` is dark.
  private var modules: [Bool]
  /// True if the module belongs to a pattern, not to the data.
  private var isPattern: [Bool]
  /// The number of modules on each side.
  let size: Int
  private let version: Int

  /// The number of bytes that the largest version can hold.
  static let bytesMax = 2_953

  /// Creates the smallest code that can hold the bytes; nil if there are more than `bytesMax` bytes.
  init?(_ bytes: [UInt8]) {
    guard let version = (1...40).first(where: { Self.capacity($0) >= bytes.count }) else {
      return nil
    }
    self.version = version
    size = version * 4 + 17
    modules = [Bool](repeating: false, count: size * size)
    isPattern = modules
    drawPatterns()
    let codewords = Self.interleaved(Self.dataCodewords(bytes, version), version)
    drawData(codewords)
    var best: (penalty: Int, mask: Int)?
    for mask in 0..<8 {
      toggle(mask)
      drawFormat(mask)
      if best.map({ penalty < $0.penalty }) ?? true { best = (penalty, mask) }
      toggle(mask)
    }
    let mask = best?.mask ?? 0
    toggle(mask)
    drawFormat(mask)
  }

  /// Returns true if a module is dark; everything outside the code is light.
  subscript(x: Int, y: Int) -> Bool {
    (0..<size).contains(x) && (0..<size).contains(y) && modules[y * size + x]
  }

  /// The code as lines of text that each show two rows of modules, surrounded by the quiet zone.
  ///
  /// The light modules are drawn, because most terminals are dark; readers also accept codes with inverted colors.
  var lines: [String] {
    let margin = 2
    return stride(from: -margin, to: size + margin, by: 2).map { y in
      (-margin..<size + margin).map { x in
        switch (self[x, y], self[x, y + 1]) {
        case (false, false): "█"
        case (false, true): "▀"
        case (true, false): "▄"
        case (true, true): " "
        }
      }.joined()
    }
  }

  // MARK: - Codewords

  /// The number of error correction codewords in each block, by version.
  private static let correctionPerBlock = [
    7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28, 28, 28, 30, 30,
    26, 28, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
  ]
  /// The number of blocks, by version.
  private static let blocks = [
    1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8, 8, 9, 9, 10, 12, 12, 12, 13, 14, 15,
    16, 17, 18, 19, 19, 20, 21, 22, 24, 25,
  ]

  /// Returns the number of modules available for codewords, including the remainder bits.
  private static func dataModules(_ version: Int) -> Int {
    var count = (16 * version + 128) * version + 64
    if version >= 2 {
      let alignments = version / 7 + 2
      count -= (25 * alignments - 10) * alignments - 55
      if version >= 7 { count -= 36 }
    }
    return count
  }

  private static func dataCodewordCount(_ version: Int) -> Int {
    dataModules(version) / 8 - correctionPerBlock[version - 1] * blocks[version - 1]
  }

  /// Returns the number of bytes that a version can hold after its header, which has 4 bits for the mode and 8 or 16
  /// for the length.
  private static func capacity(_ version: Int) -> Int {
    dataCodewordCount(version) - (version < 10 ? 2 : 3)
  }

  private static func dataCodewords(_ bytes: [UInt8], _ version: Int) -> [UInt8] {
    var bits = BitList()
    bits.append(0b0100, count: 4)
    bits.append(bytes.count, count: version < 10 ? 8 : 16)
    for byte in bytes { bits.append(Int(byte), count: 8) }
    bits.append(0, count: 4)
    var codewords = bits.bytes
    let padding = dataCodewordCount(version) - codewords.count
    codewords += (0..<padding).map { $0 % 2 == 0 ? 0xEC : 0x11 }
    return codewords
  }

  /// Returns the codewords of all blocks with their error correction, in the order in which the code contains them.
  private static func interleaved(_ data: [UInt8], _ version: Int) -> [UInt8] {
    let blockCount = blocks[version - 1]
    let correctionCount = correctionPerBlock[version - 1]
    let total = dataModules(version) / 8
    let shortBlocks = blockCount - total % blockCount
    let shortData = total / blockCount - correctionCount
    let divisor = ReedSolomon.divisor(correctionCount)
    var dataBlocks: [ArraySlice<UInt8>] = []
    var rest = data[...]
    for index in 0..<blockCount {
      let count = shortData + (index < shortBlocks ? 0 : 1)
      dataBlocks.append(rest.prefix(count))
      rest = rest.dropFirst(count)
    }
    let corrections = dataBlocks.map { ReedSolomon.remainder($0, divisor) }
    var result: [UInt8] = []
    for index in 0...shortData {
      for block in dataBlocks where index < block.count {
        result.append(block[block.startIndex + index])
      }
    }
    for index in 0..<correctionCount {
      for block in corrections { result.append(block[index]) }
    }
    assert(result.count == total, "the code has the required number of codewords")
    return result
  }

  // MARK: - Patterns

  private mutating func set(_ x: Int, _ y: Int, _ isDark: Bool) {
    modules[y * size + x] = isDark
    isPattern[y * size + x] = true
  }

  private mutating func drawPatterns() {
    for index in 0..<size {
      set(6, index, index % 2 == 0)
      set(index, 6, index % 2 == 0)
    }
    for (x, y) in [(3, 3), (size - 4, 3), (3, size - 4)] { drawFinder(x, y) }
    let positions = alignmentPositions
    for (row, y) in positions.enumerated() {
      for (column, x) in positions.enumerated() {
        let last = positions.count - 1
        // Three corners have finder patterns.
        if (row, column) == (0, 0) || (row, column) == (0, last) || (row, column) == (last, 0) {
          continue
        }
        for dy in -2...2 {
          for dx in -2...2 { set(x + dx, y + dy, max(abs(dx), abs(dy)) != 1) }
        }
      }
    }
    drawFormat(0)
    drawVersion()
  }

  private mutating func drawFinder(_ x: Int, _ y: Int) {
    for dy in -4...4 {
      for dx in -4...4 {
        let distance = max(abs(dx), abs(dy))
        guard (0..<size).contains(x + dx), (0..<size).contains(y + dy) else { continue }
        set(x + dx, y + dy, distance != 2 && distance != 4)
      }
    }
  }

  private var alignmentPositions: [Int] {
    guard version > 1 else { return [] }
    let count = version / 7 + 2
    let step = (version * 8 + count * 3 + 5) / (count * 4 - 4) * 2
    return [6] + (0..<count - 1).map { size - 7 - $0 * step }.reversed()
  }

  /// Draws two copies of the format information, which consists of the error correction level (low: 01), the mask, and
  /// its own error correction bits.
  private mutating func drawFormat(_ mask: Int) {
    let data = 0b01 << 3 | mask
    var remainder = data
    for _ in 0..<10 { remainder = remainder << 1 ^ (remainder >> 9) * 0x537 }
    let bits = (data << 10 | remainder) ^ 0x5412
    func bit(_ index: Int) -> Bool { bits >> index & 1 == 1 }
    for index in 0...5 { set(8, index, bit(index)) }
    set(8, 7, bit(6))
    set(8, 8, bit(7))
    set(7, 8, bit(8))
    for index in 9..<15 { set(14 - index, 8, bit(index)) }
    for index in 0..<8 { set(size - 1 - index, 8, bit(index)) }
    for index in 8..<15 { set(8, size - 15 + index, bit(index)) }
    set(8, size - 8, true)
  }

  private mutating func drawVersion() {
    guard version >= 7 else { return }
    var remainder = version
    for _ in 0..<12 { remainder = remainder << 1 ^ (remainder >> 11) * 0x1F25 }
    let bits = version << 12 | remainder
    for index in 0..<18 {
      let isDark = bits >> index & 1 == 1
      let (a, b) = (size - 11 + index % 3, index / 3)
      set(a, b, isDark)
      set(b, a, isDark)
    }
  }

  // MARK: - Data and masks

  /// Draws the codewords in columns of two modules from right to left, alternately upward and downward.
  private mutating func drawData(_ codewords: [UInt8]) {
    var index = 0
    var right = size - 1
    while right >= 1 {
      // The column of the vertical timing pattern doesn't contain data.
      if right == 6 { right = 5 }
      let isUpward = (right + 1) & 2 == 0
      for step in 0..<size {
        let y = isUpward ? size - 1 - step : step
        for x in [right, right - 1] where !isPattern[y * size + x] && index < codewords.count * 8 {
          modules[y * size + x] = codewords[index / 8] >> UInt8(7 - index % 8) & 1 == 1
          index += 1
        }
      }
      right -= 2
    }
    assert(index == codewords.count * 8, "the code has room for its codewords")
  }

  private mutating func toggle(_ mask: Int) {
    for y in 0..<size {
      for x in 0..<size where !isPattern[y * size + x] {
        let isToggled =
          switch mask {
          case 0: (x + y) % 2 == 0
          case 1: y % 2 == 0
          case 2: x % 3 == 0
          case 3: (x + y) % 3 == 0
          case 4: (x / 3 + y / 2) % 2 == 0
          case 5: x * y % 2 + x * y % 3 == 0
          case 6: (x * y % 2 + x * y % 3) % 2 == 0
          default: ((x + y) % 2 + x * y % 3) % 2 == 0
          }
        if isToggled { modules[y * size + x].toggle() }
      }
    }
  }

  /// The penalty of a mask for long runs, blocks of a single color, and an imbalance of the two colors.
  ///
  /// The rule about patterns that resemble a finder pattern is omitted: any mask is valid, and readers do not need the
  /// rule.
  private var penalty: Int {
    var total = 0
    for a in 0..<size {
      var (row, column) = (Run(), Run())
      for b in 0..<size {
        total += row.add(modules[a * size + b]) + column.add(modules[b * size + a])
      }
    }
    for y in 0..<size - 1 {
      for x in 0..<size - 1 {
        let isDark = self[x, y]
        if self[x + 1, y] == isDark, self[x, y + 1] == isDark, self[x + 1, y + 1] == isDark {
          total += 3
        }
      }
    }
    let dark = modules.count { $0 }
    return total + abs(dark * 20 - modules.count * 10) / modules.count * 10
  }

  /// A run of modules of the same color.
  private struct Run {
    private var isDark = false
    private var count = 0

    /// Adds a module to the run and returns the penalty that the module adds.
    mutating func add(_ isDark: Bool) -> Int {
      count = isDark == self.isDark ? count + 1 : 1
      self.isDark = isDark
      return count == 5 ? 3 : count > 5 ? 1 : 0
    }
  }
}

/// A list of bits, with the most significant bit of each number first.
private struct BitList {
  private var bits: [Bool] = []

  mutating func append(_ number: Int, count: Int) {
    for index in (0..<count).reversed() { bits.append(number >> index & 1 == 1) }
  }

  /// The bits as bytes; the last byte is padded with zeros.
  var bytes: [UInt8] {
    stride(from: 0, to: bits.count, by: 8).map { start in
      (0..<8).reduce(UInt8(0)) { byte, offset in
        byte << 1 | (start + offset < bits.count && bits[start + offset] ? 1 : 0)
      }
    }
  }
}

/// Reed-Solomon codes over the field of 256 elements with the polynomial 0x11D.
private enum ReedSolomon {
  /// Returns the generator polynomial of a degree, without its leading coefficient.
  static func divisor(_ degree: Int) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: degree - 1) + [1]
    var root: UInt8 = 1
    for _ in 0..<degree {
      for index in result.indices {
        result[index] = multiply(result[index], root)
        if index + 1 < result.count { result[index] ^= result[index + 1] }
      }
      root = multiply(root, 2)
    }
    return result
  }

  static func remainder(_ data: ArraySlice<UInt8>, _ divisor: [UInt8]) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: divisor.count)
    for byte in data {
      let factor = byte ^ result.removeFirst()
      result.append(0)
      for index in result.indices { result[index] ^= multiply(divisor[index], factor) }
    }
    return result
  }

  private static func multiply(_ one: UInt8, _ other: UInt8) -> UInt8 {
    var product: UInt8 = 0
    for index in (0..<8).reversed() {
      product = product << 1 ^ (product >> 7) * 0x1D
      product ^= (other >> UInt8(index) & 1) * one
    }
    return product
  }
}
