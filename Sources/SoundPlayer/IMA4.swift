/// Apple's IMA4 encoding, in which a packet contains 64 samples in 34 bytes per channel.
///
/// Every packet can be decoded on its own.
///
/// The first two bytes contain the upper nine bits of the predictor and the step index. The other 32 bytes contain four
/// bits per sample; the lower half of each byte is first (IMA Digital Audio Focus 1992, in QuickTime's layout).
enum IMA4 {
  static let packetBytes = 34
  static let packetFrames = 64

  static let indexSteps = [-1, -1, -1, -1, 2, 4, 6, 8]

  /// The 89 step sizes that the standard defines.
  static let steps: [Int] = [
    7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45, 50, 55, 60, 66,
    73, 80, 88, 97, 107, 118, 130, 143, 157, 173, 190, 209, 230, 253, 279, 307, 337, 371, 408, 449,
    494, 544, 598, 658, 724, 796, 876, 963, 1_060, 1_166, 1_282, 1_411, 1_552, 1_707, 1_878, 2_066,
    2_272, 2_499, 2_749, 3_024, 3_327, 3_660, 4_026, 4_428, 4_871, 5_358, 5_894, 6_484, 7_132,
    7_845, 8_630, 9_493, 10_442, 11_487, 12_635, 13_899, 15_289, 16_818, 18_500, 20_350, 22_385,
    24_623, 27_086, 29_794, 32_767,
  ]

  /// Decodes a packet for one channel; returns nil if the packet is incomplete.
  static func decode(_ packet: ArraySlice<UInt8>) -> [Int16]? {
    guard packet.count == packetBytes else { return nil }
    let head = Int(packet[packet.startIndex]) << 8 | Int(packet[packet.startIndex + 1])
    var predictor = Int(Int16(truncatingIfNeeded: head & 0xFF80))
    var index = min(head & 0x7F, steps.count - 1)
    var samples: [Int16] = []
    samples.reserveCapacity(packetFrames)
    for byte in packet.dropFirst(2) {
      for nibble in [Int(byte & 0x0F), Int(byte >> 4)] {
        let step = steps[index]
        var difference = step >> 3
        if nibble & 1 != 0 { difference += step >> 2 }
        if nibble & 2 != 0 { difference += step >> 1 }
        if nibble & 4 != 0 { difference += step }
        predictor += nibble & 8 != 0 ? -difference : difference
        predictor = min(max(predictor, Int(Int16.min)), Int(Int16.max))
        index = min(max(index + indexSteps[nibble & 7], 0), steps.count - 1)
        samples.append(Int16(truncatingIfNeeded: predictor))
      }
    }
    return samples
  }
}
